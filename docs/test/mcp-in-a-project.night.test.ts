/** What docs/how-to/mcp.md changes in a project of create-grantkit, applied to such a project. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { createProject } from 'create-grantkit'
import { expect, it, onTestFinished } from 'vitest'
import { fencedBlocks } from './code-blocks.ts'

/** In this package, so that the program finds what it imports. */
const FOLDER = join(import.meta.dirname, '../.code-blocks/mcp-in-a-project')
const BLOCKS = fencedBlocks().filter(({ page }) => page === 'docs/how-to/mcp.md')
const TOOLS = /^\/\/ Here is the part of .*$/m

it('the changes of docs/how-to/mcp.md make an MCP server of a project', async () => {
  rmSync(FOLDER, { recursive: true, force: true })
  const choices = { framework: 'hono', store: 'memory', pages: 'grantkit' } as const
  await createProject(FOLDER, { ...choices, features: ['client-documents', 'known-clients'] })
  for (const { info, code } of BLOCKS.filter(({ language }) => language === 'diff')) {
    const file = join(FOLDER, info.replace(/ \[(.+)\]/, '$1'))
    writeFileSync(file, changed(readFileSync(file, 'utf8'), code).replace(TOOLS, toolsOfThePage()))
  }

  const origin = await start(['--env-file=.env', 'app.ts'])
  const refused = await fetch(`${origin}/mcp`)
  expect(refused.headers.get('www-authenticate')).toContain(
    `scope="notes:read", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
  )
})

/** Each hunk has to be in the file. */
function changed(text: string, diff: string): string {
  return diff.split('@@\n').reduce((before, hunk) => {
    const lines = hunk.split('\n').slice(0, -1)
    const side = (sign: string) =>
      lines
        .filter((line) => !line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n')
    expect(before).toContain(side('+'))
    return before.replace(side('+'), side('-').replaceAll('$', '$$$$'))
  }, text)
}

function toolsOfThePage(): string {
  const { code = '' } = BLOCKS.find(({ info }) => info.includes('[mcp.ts]')) ?? {}
  return code.slice(code.indexOf('const kept'), code.indexOf('export const app')).replaceAll('$', '$$$$')
}

/** @returns where the program listens */
async function start(args: readonly string[]): Promise<string> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: `${port}` }
  const program = spawn(process.execPath, args, { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void program.kill())
  await once(program.stdout, 'data')
  return `http://127.0.0.1:${port}`
}
