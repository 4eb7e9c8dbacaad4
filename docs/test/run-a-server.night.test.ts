/** docs/how-to/run-a-server.md as a reader follows it: its shell lines, its programs, and a real MCP client. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import { codeBlocks, write } from './code-blocks.ts'
import { SIGNING_IN } from './mcp-clients.ts'
import { shellLines } from './shell-lines.ts'

const PAGE = 'docs/how-to/run-a-server.md'
/** In this package, so that the programs find what they import. */
const FOLDER = join(import.meta.dirname, '../.code-blocks/run-a-server')
const GRANTKIT = `${process.execPath} ${join(import.meta.dirname, '../../packages/server/src/bin.ts')}`
const ADA = { email: 'ada@example.com', password: 'a password of her own' }

it('leads to an MCP server that only users of the server can call', async () => {
  const { here, run, start, origin, mcp } = await reader()
  await run(line('init'))
  expect(await run(line('check'))).toContain(mcp)
  for (const block of codeBlocks().filter(({ page }) => page === PAGE))
    write({ ...block, code: here(block.code) }, FOLDER)
  await start(line('start'), '/.well-known/oauth-authorization-server')
  for (const users of lines('users')) await run(users)

  await start('node mcp-server.ts', 'MCP at')
  expect((await fetch(mcp, { method: 'POST' })).status).toBe(401)
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', mcp))
  expect(metadata.headers.get('access-control-allow-origin')).toBe('*')
  const open = SIGNING_IN['the official SDK, version 2, by protocol 2026-07-28']
  const client = await open?.(new URL(mcp), formBrowser({ origin, typed: ADA }), FOLDER)
  onTestFinished(async () => void (await client?.close()))
  const [id] = (await run('npx grantkit users list')).split(' ')
  expect(await client?.call('list_notes')).toBe(`a note of ${id}`)
})

const lines = (command: string) =>
  shellLines().flatMap(({ page, line }) =>
    page === PAGE && line.startsWith(`npx grantkit ${command}`) ? [line] : [],
  )
const line = (command: string) => lines(command)[0] ?? ''

/** An empty folder, and ports of its own in place of those of the page. */
async function reader() {
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER, { recursive: true })
  const [port, mcpPort] = [await freePort(), await freePort()]
  const origin = `http://127.0.0.1:${port}`
  const env = { PATH: process.env.PATH, PORT: `${port}`, BASE_URL: origin, NODE_ENV: 'development' }
  const here = (text: string) =>
    text
      .replaceAll(':3000', `:${port}`)
      .replaceAll('port: 4000', `port: ${mcpPort}`)
      .replaceAll(':4000', `:${mcpPort}`)
      .replace('npx grantkit', GRANTKIT)
  return { here, origin, mcp: `http://127.0.0.1:${mcpPort}/mcp`, ...inShell(here, env) }
}

function inShell(here: (line: string) => string, env: Record<string, string | undefined>) {
  return {
    async run(line: string): Promise<string> {
      const running = promisify(execFile)('sh', ['-c', here(line)], { cwd: FOLDER, env })
      running.child.stdin?.end(`${ADA.password}\n`)
      return (await running).stdout
    },
    /** Resolves once the program has printed the text. */
    async start(line: string, text: string): Promise<void> {
      const [command = '', ...words] = here(line).split(' ')
      const program = spawn(command, words, { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] })
      onTestFinished(() => void program.kill())
      let printed = ''
      program.stdout.on('data', (chunk) => (printed += chunk))
      while (!printed.includes(text)) await once(program.stdout, 'data')
    },
  }
}
