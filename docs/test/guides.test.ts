/** The programs of the guides, as they are, started as a reader starts them, with a user in a real browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { browserOf } from './chromium.ts'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'

const FOLDER = join(import.meta.dirname, '../.code-blocks/guides')
const GUIDES = ['docs/how-to/express-session.md', 'docs/how-to/passport.md']

let chromium: Browser
beforeAll(async () => {
  extract(
    codeBlocks().filter(({ page }) => GUIDES.includes(page)),
    FOLDER,
  )
  chromium = await openChromium()
})
afterAll(() => chromium.close())

it.each(GUIDES)('the program of %s lets an app in that its user allows', async (page) => {
  const issuer = await start(join(FOLDER, folderOf(page), 'app.ts'))
  const app = await testClient(issuer, { browser: browserOf(chromium) })
  const { access_token } = await app.tokens('notes:read')
  const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await notes.json()).toEqual(['a note of alice'])
  expect((await fetch(`${issuer}/notes`)).status).toBe(401)
})

/** Starts a program of Node. @returns its issuer, when it has said that it listens */
async function start(file: string): Promise<string> {
  const port = await freePort()
  const program = spawn(process.execPath, [file], {
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
