/** The example as a reader runs it, with the clients that people use and a user in a real browser. No account is needed. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import { type StartedProgram, startProgram } from '@grantkit/test-servers/started-program'
import { type Browser, formBrowser, testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { SIGNING_IN } from '../../docs/test/mcp-clients.ts'
import { copyOut } from '../copy-out.ts'

const FOLDER = copyOut(import.meta.dirname)
const CLAUDE = 'https://claude.ai/api/mcp/auth_callback'
const SCOPE = 'notes:read'

let password: string
let PORT: string
let origin: string
let resource: string
let worker: StartedProgram
/** One for all clients: each sign-in counts as an attempt. */
let browser: Browser

beforeAll(async () => {
  await rm(join(FOLDER, '.dev.vars'), { force: true })
  await rm(join(FOLDER, '.wrangler'), { force: true, recursive: true })
  const printed = execFileSync(process.execPath, ['add-user.ts', 'alice'], { cwd: FOLDER, encoding: 'utf8' })
  password = printed.trim().split(': ')[1] ?? ''
  PORT = String(await freePort())
  origin = `http://127.0.0.1:${PORT}`
  resource = `${origin}/mcp`
  browser = formBrowser({ origin, typed: { user: 'alice', password } })
  worker = await start()
})
afterAll(() => worker?.close())

/** Wrangler asks nothing of the internet: no newer version of itself, and no data about this place. */
const QUIET = {
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: join(FOLDER, 'logs'),
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

function start(): Promise<StartedProgram> {
  const line = 'node_modules/.bin/wrangler dev --local --port $PORT --inspector-port 0 --var ISSUER:$ORIGIN'
  return startProgram(line, FOLDER, { ...QUIET, PORT, ORIGIN: origin })
}

const called = (token: string) =>
  fetch(resource, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

describe('an MCP server on Workers', () => {
  it('challenges a client without a token', async () => {
    const refused = await fetch(resource, { method: 'POST', body: '{}' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer scope="notes:read", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    ])
  })

  it.each(Object.entries(SIGNING_IN))('serves %s, whose user signs in', async (_, open) => {
    const folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const client = await open(new URL(resource), browser, folder)
    onTestFinished(async () => void (await client.close()))
    expect(await client.call('list_notes')).toBe('alice: buy milk')
  })

  it('shows its pages in a browser: sign-in, the known client that asks, and the user', async () => {
    const chromium = await openChromium()
    onTestFinished(chromium.close)
    const page = await chromium.context.newPage()
    await page.route(`${CLAUDE}**`, (route) => route.abort())
    const signInAs = async (password: string) => {
      await page.fill('#user', 'alice')
      await page.fill('#password', password)
      await page.click('form button')
    }
    const metadata = { redirect_uris: [CLAUDE] }
    const visible = async (url: string) => {
      await page.goto(url)
      await signInAs('wonderland')
      expect(await page.textContent('[role=alert]')).toBe('Name and password do not match.')
      await signInAs(password)
      const shown = (await page.textContent('main')) ?? ''
      expect(shown).toContain('Claude')
      expect(shown).toContain('alice')
      const callback = page.waitForRequest(`${CLAUDE}**`)
      await page.click('[value=allow]')
      return new URL((await callback).url())
    }
    const client = await testClient(origin, { browser: visible, metadata })
    const { access_token } = await client.tokens(SCOPE, { resource })
    expect((await called(access_token)).status).toBe(200)
  })

  it('keeps its clients and tokens when it is killed, and starts again', async () => {
    const client = await testClient(origin, { browser })
    const tokens = await client.tokens(SCOPE, { resource })
    await worker.close()
    worker = await start()
    expect((await called(tokens.access_token)).status).toBe(200)
    const { access_token = '' } = await client.refresh(tokens.refresh_token)
    expect((await called(access_token)).status).toBe(200)
  })

  it('refuses a sign-in form of another site, and redirects to no other site', async () => {
    const body = new URLSearchParams({ user: 'alice', password })
    const sent = (headers: Record<string, string>) =>
      fetch(`${origin}/login?to=//evil.example`, { method: 'POST', headers, body, redirect: 'manual' })
    const foreign = await sent({ origin: 'https://evil.example' })
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null])
    expect((await sent({ origin })).headers.get('location')).toBe('/')
  })

  it('reads no large sign-in form', async () => {
    const body = new URLSearchParams({ user: 'alice', password: 'x'.repeat(5000) })
    expect((await fetch(`${origin}/login`, { method: 'POST', body })).status).toBe(413)
  })

  it('refuses more than forty attempts in a minute from one /48, each from a /64 of its own', async () => {
    // Without a name no password is hashed.
    const body = new URLSearchParams({ password: 'wrong' })
    const statuses: number[] = []
    for (let attempt = 1; attempt <= 81; attempt++) {
      const headers = { 'cf-connecting-ip': `2001:db8:1:${attempt.toString(16)}::1` }
      statuses.push((await fetch(`${origin}/login`, { method: 'POST', headers, body })).status)
    }
    expect(statuses.slice(0, 40)).toContain(403)
    expect(statuses).toContain(429)
  })

  it('refuses more than ten attempts in a minute, also with the right password', async () => {
    const body = new URLSearchParams({ user: 'alice', password })
    const statuses: number[] = []
    // A minute may begin among them.
    for (let attempt = 1; attempt <= 21; attempt++)
      statuses.push((await fetch(`${origin}/login`, { method: 'POST', body, redirect: 'manual' })).status)
    expect(statuses).toContain(429)
  })
})
