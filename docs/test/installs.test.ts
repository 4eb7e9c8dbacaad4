import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks, INSTALLED, pages } from './code-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A start: a page that installs packages, and shows whole programs without declarations that it takes for granted. */
const GUIDES = [
  'docs/start.md',
  'docs/how-to/auth-js.md',
  'docs/how-to/better-auth.md',
  'docs/how-to/express-session.md',
  'docs/how-to/fastify.md',
  'docs/how-to/hono.md',
  'docs/how-to/hosted-sign-in.md',
  'docs/how-to/lambda.md',
  'docs/how-to/mcp.md',
  'docs/migrate/hydra.md',
  'docs/migrate/mcp-sdk.md',
  'docs/migrate/workers-oauth-provider.md',
  'docs/how-to/passport.md',
  'docs/how-to/openid.md',
  'docs/how-to/node.md',
  'docs/how-to/store.md',
  'docs/how-to/workers.md',
  ...INSTALLED,
]
const STARTS = pages().filter((page) => page.startsWith('packages/adapter-') || GUIDES.includes(page))

describe.each(STARTS)('%s', (page) => {
  it('installs what its programs import', () => {
    const installs = textOf(page).match(/(?<=npm install ).*|`@grantkit\/adapter-[^`]*`/g) ?? []
    const programs = codeBlocks().filter((block) => block.page === page && !block.info.includes('with:'))
    const installed = installs.flatMap((line) => line.replaceAll('`', '').split(' '))
    expect(
      programs.flatMap(({ code }) => imported(code)).filter((name) => !installed.includes(name)),
    ).toEqual([])
  })
})

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

/** The packages that a program imports. */
function imported(code: string): string[] {
  const named = [...code.matchAll(/(?:import| from) '(?!@\/)((?:@[^/']+\/)?[^'./][^'/]*)/g)].map(
    ([, name = '']) => name,
  )
  return named.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
}
