import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks, INSTALLED, pages } from './code-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A start: a page that installs packages, and shows whole programs without declarations that it takes for granted. */
const GUIDES = [
  'README.md',
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
    const installed = installs.flatMap((line) => line.replaceAll('`', '').split(' '))
    expect(importedOn(page).filter((name) => !installed.includes(name))).toEqual([])
  })
})

/** Within a sentence such a command is for other packages than those of the page. */
const PACKS = /^`?npx -y pnpm@12 tarballs (?<packed>@[^`\n]+)/m
const PACKING = pages().filter((page) => PACKS.test(textOf(page)))

it.each(PACKING)('%s packs every package of Grantkit that its programs need', (page) => {
  const packed = PACKS.exec(textOf(page))?.groups?.packed?.split(' ') ?? []
  const isFolder = page.startsWith('examples/')
  const needed = isFolder ? dependenciesIn(join(dirname(page), 'package.json')) : importedOn(page)
  const ours = needed.filter((name) => name.startsWith('@grantkit/'))
  expect(ours.filter((name) => !packed.includes(name))).toEqual([])
})

function dependenciesIn(manifest: string): string[] {
  return Object.keys(JSON.parse(textOf(manifest)).dependencies)
}

/** The packages that the whole programs of a page import. */
function importedOn(page: string): string[] {
  const programs = codeBlocks().filter((block) => block.page === page && !block.info.includes('with:'))
  return programs.flatMap(({ code }) => imported(code))
}

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
