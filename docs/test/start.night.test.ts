/** docs/start.md as a reader follows it: its programs, its shell lines, and a browser in between. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import { codeBlocks, extract, fencedBlocks, folderOf } from './code-blocks.ts'

const PAGE = 'docs/start.md'
const FOLDER = join(import.meta.dirname, '../.code-blocks/start')
const shown = fencedBlocks().filter(({ page }) => page === PAGE)
const starting = (text: string) => shown.find(({ code }) => code.startsWith(text))?.code ?? ''
const sh = (line: string) => execFileSync('sh', ['-c', line], { encoding: 'utf8' })

it('leads to the answer that it shows', async () => {
  const { origin, here } = await started('node notes.ts')
  const { client_id } = JSON.parse(sh(here('curl -s http://127.0.0.1:3000/api/oauth/register')))
  const filled = (text: string) => here(text).replaceAll('CLIENT_ID', client_id)

  const callback = await formBrowser({ origin, typed: {} })(
    filled('http://127.0.0.1:3000/oauth/authorize').trim(),
  )
  const code = callback.searchParams.get('code') ?? ''
  const answer = sh(filled('curl -s http://127.0.0.1:3000/api/oauth/token').replace('CODE ', `${code} `))
  const { access_token } = JSON.parse(answer)
  const call = here('curl -s http://127.0.0.1:3000/notes')
  expect(JSON.parse(sh(call.replace('ACCESS_TOKEN', access_token)))).toEqual(JSON.parse(starting('["')))
  expect((await fetch(`${origin}/notes`)).status).toBe(401)
})

/** Runs the program as the page says, on a port of its own, to which the lines of the page are sent. */
async function started(line: string) {
  extract(
    codeBlocks().filter(({ page }) => page === PAGE),
    FOLDER,
  )
  const port = await freePort()
  const [command = '', ...given] = starting(line).trim().split(' ')
  const program = spawn(command, given, {
    cwd: join(FOLDER, folderOf(PAGE)),
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill())
  await once(program.stdout, 'data')
  const here = (text: string) => starting(text).replaceAll(':3000', `:${port}`)
  return { origin: `http://127.0.0.1:${port}`, here }
}
