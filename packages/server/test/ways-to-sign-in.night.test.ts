/// <reference lib="dom" />
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import { type RunningProvider, runOpenIdProvider } from '@grantkit/test-servers/openid-provider'
import { violations } from '@grantkit/test-servers/screens'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import {
  type Authenticator,
  addAuthenticator,
  suggestNothing,
} from '@grantkit/test-servers/virtual-authenticator'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningServer, runServer } from './running-server.ts'

/** The sign-in methods other than passwords, in a real browser with a virtual authenticator. */

let server: RunningServer
let op: RunningProvider
let browser: Browser
let authenticator: Authenticator
let page: Page
let folder: string

/** The claims of `alice` at the provider. */
let claims: { readonly [claim: string]: unknown } = {}

beforeAll(async () => {
  const port = await freePort()
  const base = `http://localhost:${port}`
  op = await runOpenIdProvider(`${base}/login/with/partner/callback`, () => claims)
  folder = await mkdtemp(join(tmpdir(), 'grantkit-'))
  const file = join(folder, 'upstream.json')
  const provider = { ...op.provider, signUp: { emailDomains: ['partner.example'] } }
  await writeFile(file, JSON.stringify({ providers: [provider] }))
  server = await runServer({ PORT: String(port), BASE_URL: base, UPSTREAM_FILE: file })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await op.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  await browser.context.clearCookies()
  page = await browser.context.newPage()
  authenticator = await addAuthenticator(page)
  claims = { email: 'demo@example.com', email_verified: true, name: 'Alice' }
  // Each test waits for its last page: Chromium may never close one that is on its way to the next.
  return () => page.close()
})

async function signInByPassword(): Promise<void> {
  await page.goto(`${server.baseUrl}/login?return_to=/account`)
  await typePassword()
}

async function typePassword(email = 'demo@example.com', password = 'demo'): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function addPasskey(name: string): Promise<void> {
  await page.getByLabel('Name of a new passkey').fill(name)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText(`Passkey ${name}`).waitFor()
}

async function leave(): Promise<void> {
  await browser.context.clearCookies()
}

describe('a passkey', () => {
  it('is added, signs in by the button, and is removed', async () => {
    await suggestNothing(page)
    await signInByPassword()
    await addPasskey('laptop')
    expect(await violations(page)).toEqual([])
    await leave()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    const button = page.getByRole('button', { name: 'Sign in with a passkey' })
    await button.waitFor()
    expect(await violations(page)).toEqual([])
    await button.click()
    await page.waitForURL(`${server.baseUrl}/account`)
    expect(await page.locator('main').textContent()).toMatch(/Passkey laptop.*last used/s)
    await page.getByRole('button', { name: 'Remove passkey laptop' }).click()
    await page.waitForURL(/\/login/)
    expect(server.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['passkey_added', 'sign_in_succeeded', 'passkey_removed']),
    )
  })

  it('is offered in the e-mail field, without a click', async () => {
    await signInByPassword()
    await addPasskey('phone')
    await leave()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await page.waitForURL(`${server.baseUrl}/account`)
    await page.getByRole('button', { name: 'Remove passkey phone' }).click()
    await page.getByRole('alert').waitFor()
  })

  it('leaves the password form if the user cancels', async () => {
    await suggestNothing(page)
    await signInByPassword()
    await addPasskey('key')
    await leave()
    const { cdp, authenticatorId } = authenticator
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await typePassword()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
    await page.getByRole('button', { name: 'Remove passkey key' }).click()
    await page.waitForURL(/\/login/)
  })

  it('gets an error message after its removal, and the form stays', async () => {
    await signInByPassword()
    await addPasskey('lost')
    await page.getByRole('button', { name: 'Remove passkey lost' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('This passkey did not sign you in')
    expect(await page.getByLabel('Password').count()).toBe(1)
    expect(server.taken('sign_in_failed').at(-1)).toMatchObject({ reason: 'wrong_passkey' })
  })
})

describe('an OpenID provider', () => {
  const continueWith = async () => {
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await page.getByRole('button', { name: 'Continue with Partner' }).click()
  }

  it('signs in to no account by its address, but to the account that linked it, until it is removed', async () => {
    await continueWith()
    expect(await page.getByRole('alert').textContent()).toContain('sign in to it and connect Partner there')
    expect(await violations(page)).toEqual([])
    await signInByPassword()
    await page.getByRole('button', { name: 'Connect Partner' }).click()
    await page.getByText('Partner demo@example.com').waitFor()
    await leave()
    await continueWith()
    expect(await page.getByText('demo@example.com').count()).toBeGreaterThan(0)
    await leave()
    await signInByPassword()
    await page.getByRole('button', { name: 'Remove Partner' }).click()
    await page.waitForURL(/\/login/)
    await continueWith()
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  it('creates an account if the sign-up rule allows it, and its last sign-in method stays', async () => {
    claims = { email: 'carol@partner.example', email_verified: true, name: 'Carol' }
    await continueWith()
    expect(await page.locator('main').textContent()).toContain('Carol')
    await page.getByRole('button', { name: 'Remove Partner' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('last way to sign in')
    await addPasskey('laptop')
    await page.getByRole('button', { name: 'Remove Partner' }).click()
    await expect.poll(() => page.getByText('Partner carol@partner.example').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove passkey laptop' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('last way to sign in')
  })

  it('is no longer the only way after its user has set a first password, soon after a sign-in', async () => {
    claims = { email: 'dave@partner.example', email_verified: true, name: 'Dave' }
    await continueWith()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    const kept = await browser.context.cookies()
    const stale = kept.map(({ name, value }) => `${name}=${value}`).join('; ')
    const token = await page.locator('input[name="token"]').first().inputValue()
    const [new_password, url] = ['a first password', `${server.baseUrl}/account/password`]
    const body = new URLSearchParams({ token, new_password, new_password_again: new_password })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60 * 1000 + 1000 })
    const late = await fetch(url, { method: 'POST', headers: { cookie: stale }, body })
    vi.useRealTimers()
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('sign in again first')])
    await page.getByText('Set a password').click()
    await page.getByLabel('New password', { exact: true }).fill('a first password')
    await page.getByLabel('New password again').fill('a first password')
    await page.getByRole('button', { name: 'Set password' }).click()
    expect(await page.getByRole('status').textContent()).toContain('Your password is changed')
    expect((await fetch(`${server.baseUrl}/account`, { headers: { cookie: stale } })).url).toContain('/login')
    await leave()
    await page.goto(`${server.baseUrl}/login?return_to=/account`)
    await typePassword('dave@partner.example', 'a first password')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })
})

describe('the forms for passkeys and identities', () => {
  const PATHS = ['passkeys', 'passkeys/remove', 'identities', 'identities/remove']

  async function visitor() {
    const cookie = await sessionCookie(server.baseUrl)
    const get = (path: string) => fetch(`${server.baseUrl}${path}`, { headers: { cookie } })
    const [, own = ''] = /name="token" value="([^"]+)"/.exec(await (await get('/account')).text()) ?? []
    async function expectRefused(words: string, token = own) {
      for (const path of PATHS) {
        const form = { method: 'POST', headers: { cookie }, body: new URLSearchParams({ token }) }
        const answer = await fetch(`${server.baseUrl}/account/${path}`, form)
        expect([answer.status, await answer.text()], path).toEqual([403, expect.stringContaining(words)])
      }
    }
    return { get, expectRefused }
  }

  it('change something only soon after a sign-in', async () => {
    const { get, expectRefused } = await visitor()
    expect((await get('/account/passkeys')).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60 * 1000 + 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await get('/account/passkeys')).status).toBe(403)
    await expectRefused('sign in again first')
    const shown = await (await get('/account')).text()
    expect(shown).toContain('>sign in again</a>')
    expect(shown).not.toContain('Add a passkey')
  })

  it('change nothing with the token of another page', async () => {
    const { expectRefused } = await visitor()
    await expectRefused('open for too long', 'made up')
  })
})
