/** The programs of the guides, as they are, started as a reader starts them, with a user in a real browser. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { foreignTargetsOf } from '@grantkit/test-servers/foreign-addresses'
import { freePort } from '@grantkit/test-servers/free-port'
import { formBrowser, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserOf } from './chromium.ts'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'
import { startSignInHost } from './sign-in-host.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(import.meta.dirname, '../.code-blocks/guides')
const GUIDES = [
  'docs/how-to/express-session.md',
  'docs/how-to/passport.md',
  'docs/how-to/fastify.md',
  'docs/how-to/hono.md',
]
/** Guides of libraries for sign-in, and what their user types as a name. */
const LIBRARIES = [
  { page: 'docs/how-to/better-auth.md', user: 'alice@notes.example' },
  { page: 'docs/how-to/auth-js.md', user: 'alice' },
]
const HOSTED = 'docs/how-to/hosted-sign-in.md'
const MCP = 'docs/how-to/mcp.md'

const STARTED = [...GUIDES, ...LIBRARIES.map(({ page }) => page), ...[HOSTED, MCP, 'docs/how-to/openid.md']]

let chromium: Browser
beforeAll(async () => {
  extract(
    codeBlocks().filter(({ page }) => STARTED.includes(page)),
    FOLDER,
  )
  chromium = await openChromium()
})
afterAll(async () => {
  await chromium.close()
  await Promise.all(programs.map(ended))
})

it.each(GUIDES)('the program of %s lets an app in that its user allows', async (page) => {
  const issuer = await issuerOf(page)
  const app = await testClient(issuer, { browser: browserOf(chromium) })
  const { access_token } = await app.tokens('notes:read')
  const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await notes.json()).toEqual(['a note of alice'])
  expect((await fetch(`${issuer}/notes`)).status).toBe(401)
})

it.each(LIBRARIES)('the program of $page lets an app in that its user allows', async ({ page, user }) => {
  const issuer = await start(join(FOLDER, folderOf(page), 'app.ts'))
  const app = await testClient(issuer, { browser: browserOf(chromium, user) })
  const { access_token } = await app.tokens('notes:read')
  const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await notes.json()).toEqual([expect.stringMatching(/^a note of \w+$/)])
})

describe('the program of docs/how-to/hosted-sign-in.md', () => {
  let host: Awaited<ReturnType<typeof startSignInHost>>
  let issuer: string
  beforeAll(async () => {
    host = await startSignInHost()
    const settings = { SESSION_ISSUER: host.url, SIGN_IN_PAGE: `${host.url}/sign-in` }
    issuer = await start(join(FOLDER, folderOf(HOSTED), 'app.ts'), settings)
  })
  afterAll(() => host.close())

  it('lets an app in whose user the host has signed in', async () => {
    const app = await testClient(issuer, { browser: browserOf(chromium) })
    const { access_token } = await app.tokens('notes:read')
    const notes = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${access_token}` } })
    expect(await notes.json()).toEqual(['a note of user_alice'])
  })

  it('sends the browser of a forged session to the host', async () => {
    const app = await testClient(issuer)
    const request = app.authorizationUrl({ scope: 'notes:read', code_challenge: 'a'.repeat(43) })
    for (const token of [
      'not a JWT',
      await host.sessionToken({ iss: 'https://evil.example' }),
      await host.forgedToken(),
    ]) {
      const answer = await fetch(request, { headers: { cookie: `__session=${token}` }, redirect: 'manual' })
      expect(answer.headers.get('location')).toContain(`${host.url}/sign-in?redirect_url=`)
    }
  })
})

it.each(GUIDES)('the program of %s never redirects to another site after the sign-in', async (page) => {
  expect(await foreignTargetsOf(`${await issuerOf(page)}/login`)).toEqual([])
})

it.each(GUIDES)('the program of %s signs nobody in without a password', async (page) => {
  const body = new URLSearchParams({ user: 'mallory' })
  const answer = await fetch(`${await issuerOf(page)}/login`, { method: 'POST', body, redirect: 'manual' })
  expect(answer.status).toBeGreaterThanOrEqual(400)
})

it('the program of docs/how-to/express-session.md serves its own pages on the route of the apps', async () => {
  const issuer = await issuerOf('docs/how-to/express-session.md')
  const page = await chromium.context.newPage()
  await page.goto(`${issuer}/login?to=/notes`)
  await page.fill('[name=user]', 'alice')
  await page.fill('[name=password]', 'wonderland')
  await page.click('form button')
  expect(await page.textContent('body')).toContain('a note of alice')
  const forged = await page.request.get(`${issuer}/notes`, { headers: { authorization: 'Bearer forged' } })
  expect(forged.status(), 'a token comes before the cookie').toBe(401)
})

it('the program of docs/how-to/openid.md signs a user in, with keys made by its command', async () => {
  const page = 'docs/how-to/openid.md'
  const folder = join(FOLDER, folderOf(page))
  const [, command = ''] = /^(node .* keys\.json)$/m.exec(readFileSync(join(ROOT, page), 'utf8')) ?? []
  execFileSync('sh', ['-c', command], { cwd: folder })
  const issuer = await start(join(folder, 'app.ts'), {}, folder)
  const app = await testClient(issuer, { browser: formBrowser({ origin: issuer, typed: { password: '' } }) })
  const { access_token, id_token } = await app.tokens('openid profile offline_access')
  expect(id_token?.split('.').length).toBe(3)
  const headers = { authorization: `Bearer ${access_token}` }
  const claims = await fetch(`${issuer}/api/oauth/userinfo`, { headers })
  expect(await claims.json()).toEqual({ sub: 'alice', name: 'Alice' })
})

it('the program of docs/how-to/mcp.md listens where it says, and sends a client to sign in', async () => {
  const issuer = await start(join(FOLDER, folderOf(MCP), 'main.ts'))
  const refused = await fetch(`${issuer}/mcp`, { method: 'POST' })
  expect(refused.headers.get('www-authenticate')).toContain(
    `${issuer}/.well-known/oauth-protected-resource/mcp`,
  )
})

const programs: ChildProcess[] = []
const issuers = new Map<string, Promise<string>>()

/** The program of a guide, which all its tests share. */
function issuerOf(page: string): Promise<string> {
  const issuer = issuers.get(page) ?? start(join(FOLDER, folderOf(page), 'app.ts'))
  issuers.set(page, issuer)
  return issuer
}

/** Starts a program of Node. @returns its issuer, when it has said that it listens */
async function start(file: string, settings = {}, cwd?: string): Promise<string> {
  const port = await freePort()
  const program = spawn(process.execPath, [file], {
    cwd,
    env: { PATH: process.env.PATH, PORT: `${port}`, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  programs.push(program)
  await once(program.stdout, 'data')
  return `http://127.0.0.1:${port}`
}

async function ended(program: ChildProcess): Promise<void> {
  program.kill()
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
}
