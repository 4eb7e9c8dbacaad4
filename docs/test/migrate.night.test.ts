/** The programs of the migration guides, as they are, with a client that registers itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'

const FOLDER = join(import.meta.dirname, '../.code-blocks/migrate')
const PAGES = [
  { page: 'docs/migrate/workers-oauth-provider.md', token: '/oauth/token' },
  { page: 'docs/migrate/hydra.md', token: '/oauth2/token' },
]

beforeAll(() => {
  extract(
    codeBlocks().filter((block) => PAGES.some(({ page }) => page === block.page)),
    FOLDER,
  )
})

it.each(PAGES)('the program of $page lets an app in, at the endpoints of before', async ({ page, token }) => {
  const issuer = await start(join(FOLDER, folderOf(page)))
  const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
  expect(await metadata.json()).toMatchObject({ token_endpoint: `${issuer}${token}` })
  const browser = formBrowser({ origin: issuer, typed: { password: '' } })
  const app = await testClient(issuer, { browser })
  const { access_token } = await app.tokens('notes:read')
  const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await notes.json()).toEqual([expect.stringMatching(/^a note of \w+$/)])
  expect((await fetch(`${issuer}/notes`)).status).toBe(401)
})

/** Starts `app.ts` of a folder. @returns its issuer, when it has said that it listens */
async function start(folder: string): Promise<string> {
  const port = await freePort()
  const program = spawn(process.execPath, ['app.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    program.kill()
    if (program.exitCode === null) await once(program, 'exit')
  })
  await once(program.stdout, 'data')
  return `http://127.0.0.1:${port}`
}
