/** README.md and docs/start.md as a reader follows them: the program, the shell lines, and a browser in between. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser } from '@grantkit/testkit/client'
import { expect, it, onTestFinished } from 'vitest'
import { codeBlocks, extract, fencedBlocks, folderOf } from './code-blocks.ts'

const README = 'README.md'
const START = 'docs/start.md'
const FOLDER = join(import.meta.dirname, '../.code-blocks/start')
const shown = fencedBlocks().filter(({ page }) => page === README || page === START)
const starting = (text: string) => shown.find(({ code }) => code.startsWith(text))?.code ?? ''

it('leads to the answer that it shows', async () => {
  const { origin, here } = await started('node notes.ts')
  const url = sh(here('ISSUER=')).trim()

  const callback = await formBrowser({ origin, typed: {} })(url)
  const shell = { ISSUER: origin, CLIENT_ID: new URL(url).searchParams.get('client_id') ?? '' }
  const exchange = here('read -r CODE') + here('ACCESS_TOKEN=')
  const answer = sh(exchange, shell, `${callback.searchParams.get('code')}\n`)
  expect(JSON.parse(answer)).toEqual(JSON.parse(starting('["')))
  expect((await fetch(`${origin}/notes`)).status).toBe(401)
})

function sh(lines: string, variables: Record<string, string> = {}, input = ''): string {
  const env = { PATH: process.env.PATH, ...variables }
  return execFileSync('sh', ['-c', lines], { encoding: 'utf8', env, input })
}

/** Runs the program as README.md says, on a port of its own, to which the lines of the pages are sent. */
async function started(line: string) {
  extract(
    codeBlocks().filter(({ page }) => page === README),
    FOLDER,
  )
  const port = await freePort()
  const [command = '', file = ''] = starting(line).split(/\s/)
  const program = spawn(command, [file], {
    cwd: join(FOLDER, folderOf(README)),
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill())
  await once(program.stdout, 'data')
  const here = (text: string) => starting(text).replaceAll(':3001', `:${port}`)
  return { origin: `http://127.0.0.1:${port}`, here }
}
