/// <reference lib="dom" />
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, openChromium } from '@grantkit/test-servers/chromium'
import { freePort } from '@grantkit/test-servers/free-port'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningProvider, runOpenIdProvider } from './openid-provider.ts'
import { type RunningService, runService } from './service.ts'

/** The sign-in methods other than passwords, in a real browser with a virtual authenticator. */

let service: RunningService
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
  const provider = { ...op.provider, sign_up: { email_domains: ['partner.example'] } }
  await writeFile(file, JSON.stringify({ providers: [provider] }))
  service = await runService({ PORT: String(port), BASE_URL: base, UPSTREAM_FILE: file })
})
afterAll(async () => {
  await service.close()
  await op.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  browser = await openChromium({ javaScriptEnabled: true })
  page = await browser.context.newPage()
  authenticator = await newAuthenticator(page)
  claims = { email: 'demo@example.com', email_verified: true, name: 'Alice' }
  return () => browser.close()
})

interface Authenticator {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

/** Chromium's own, as a laptop has one: it verifies its user and answers at once. */
async function newAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await browser.context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

/** A browser without suggestions in fields: the page asks the authenticator only when its button is pressed. */
async function suggestNothing(): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  })
}

async function signInByPassword(returnTo = '/account'): Promise<void> {
  await page.goto(`${service.baseUrl}/login?${new URLSearchParams({ return_to: returnTo })}`)
  await typePassword()
}

async function typePassword(): Promise<void> {
  await page.getByLabel('Email').fill('demo@example.com')
  await page.getByLabel('Password').fill('demo')
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

/** What the browser would send to the service, for requests that no page makes. */
async function cookies(): Promise<string> {
  const kept = await browser.context.cookies()
  return kept.map(({ name, value }) => `${name}=${value}`).join('; ')
}

async function faultsOf(shown: Page): Promise<unknown> {
  const { violations } = await new AxeBuilder({ page: shown }).analyze()
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

describe('a passkey', () => {
  it('is added, signs in by the button, and is removed', async () => {
    await suggestNothing()
    await signInByPassword()
    await addPasskey('laptop')
    expect(await faultsOf(page)).toEqual([])
    await leave()
    await page.goto(`${service.baseUrl}/login?return_to=/account`)
    const button = page.getByRole('button', { name: 'Sign in with a passkey' })
    await button.waitFor()
    expect(await faultsOf(page)).toEqual([])
    await button.click()
    await page.waitForURL(`${service.baseUrl}/account`)
    expect(await page.locator('main').textContent()).toMatch(/Passkey laptop.*last used/s)
    await page.getByRole('button', { name: 'Remove passkey laptop' }).click()
    await page.waitForURL(/\/login/)
    expect(service.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['passkey_added', 'sign_in_succeeded', 'passkey_removed']),
    )
  })

  it('is offered in the e-mail field, without a click', async () => {
    await signInByPassword()
    await addPasskey('phone')
    await leave()
    await page.goto(`${service.baseUrl}/login?return_to=/account`)
    await page.waitForURL(`${service.baseUrl}/account`)
    await page.getByRole('button', { name: 'Remove passkey phone' }).click()
  })

  it('leaves the password form if the user cancels', async () => {
    await suggestNothing()
    await signInByPassword()
    await addPasskey('key')
    await leave()
    const { cdp, authenticatorId } = authenticator
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(`${service.baseUrl}/login?return_to=/account`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await typePassword()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your account')
    await page.getByRole('button', { name: 'Remove passkey key' }).click()
  })

  it('gets an error message after its removal, and the form stays', async () => {
    await signInByPassword()
    await addPasskey('lost')
    await page.getByRole('button', { name: 'Remove passkey lost' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('This passkey did not sign you in')
    expect(await page.getByLabel('Password').count()).toBe(1)
    expect(service.events.at(-1)).toMatchObject({ type: 'sign_in_failed', reason: 'wrong_passkey' })
  })
})

describe('an OpenID provider', () => {
  const continueWith = async (returnTo = '/account') => {
    await page.goto(`${service.baseUrl}/login?${new URLSearchParams({ return_to: returnTo })}`)
    await page.getByRole('button', { name: 'Continue with Partner' }).click()
  }

  it('signs in to no account by its address, but to the account that linked it, until it is removed', async () => {
    await continueWith()
    expect(await page.getByRole('alert').textContent()).toContain('sign in to it and connect Partner there')
    expect(await faultsOf(page)).toEqual([])
    await signInByPassword()
    await page.getByRole('button', { name: 'Connect Partner' }).click()
    await page.getByText('Partner demo@example.com').waitFor()
    await leave()
    await continueWith()
    expect(await page.getByText('demo@example.com').count()).toBeGreaterThan(0)
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
    const stale = await cookies()
    const token = await page.locator('input[name="token"]').first().inputValue()
    const [new_password, url] = ['a first password', `${service.baseUrl}/account/password`]
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
    expect(await faultsOf(page)).toEqual([])
    expect((await fetch(`${service.baseUrl}/account`, { headers: { cookie: stale } })).url).toContain(
      '/login',
    )
    await leave()
    await page.goto(`${service.baseUrl}/login?return_to=/account`)
    await page.getByLabel('Email').fill('dave@partner.example')
    await page.getByLabel('Password').fill('a first password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('gets a request for a new sign-in if an app requires one', async () => {
    const redirected = page.waitForRequest((request) =>
      request.url().startsWith(`${op.provider.issuer}/auth?`),
    )
    await continueWith('/oauth/authorize?prompt=login')
    expect(new URL((await redirected).url()).searchParams.get('prompt')).toBe('login')
  })

  it('leaves the other sign-in methods during its outage', async () => {
    const { provider } = op
    const refused = new URLSearchParams({ error: 'access_denied' })
    await page.goto(`${service.baseUrl}/login/with/${provider.id}/callback?${refused}`)
    expect(await page.getByRole('alert').textContent()).toContain('took too long')
    expect((await fetch(`${service.baseUrl}/login/with/unknown/callback`)).status).toBe(404)
  })
})

it('can be changed only soon after a sign-in', async () => {
  await signInByPassword()
  const cookie = await cookies()
  const token = await page.locator('input[name="token"]').first().inputValue()
  const post = (path: string) =>
    fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ token }),
    })
  const options = () => fetch(`${service.baseUrl}/account/passkeys`, { headers: { cookie } })
  expect((await options()).status).toBe(200)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60 * 1000 + 1000 })
  onTestFinished(() => void vi.useRealTimers())
  expect((await options()).status).toBe(403)
  for (const path of ['passkeys', 'passkeys/remove', 'identities', 'identities/remove']) {
    const answer = await post(`/account/${path}`)
    expect([answer.status, await answer.text()], path).toEqual([
      403,
      expect.stringContaining('sign in again first'),
    ])
  }
  const shown = await (await fetch(`${service.baseUrl}/account`, { headers: { cookie } })).text()
  expect(shown).toContain('>sign in again</a>')
  expect(shown).not.toContain('Add a passkey')
})

it('cannot be changed by a form of another page', async () => {
  await signInByPassword()
  const cookie = await cookies()
  for (const path of ['passkeys', 'passkeys/remove', 'identities', 'identities/remove']) {
    const answer = await fetch(`${service.baseUrl}/account/${path}`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ token: 'made up' }),
    })
    expect([answer.status, await answer.text()], path).toEqual([
      403,
      expect.stringContaining('open for too long'),
    ])
  }
})
