import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { type TestProvider, testProvider } from '@grantkit/testkit/provider'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** What becomes of a sign-in in a browser with a session: at the page that demands it, and where a provider refuses it. */

const AGAIN = '/login?return_to=/account&prompt=login'
const PASSWORD = 'a password of the tests'

let server: RunningServer
let folder: string
type Name = 'partner' | 'other'
let ops: Readonly<Record<Name, TestProvider>>

beforeAll(async () => {
  ops = {
    partner: testProvider({ issuer: 'https://partner.example', clientId: 'of-partner' }),
    other: testProvider({ issuer: 'https://other.example', clientId: 'of-other' }),
  }
  const providers = Object.entries(ops).map(([id, { settings }]) => ({ ...settings, id, signUp: true }))
  folder = await folderInMemory('providers')
  const UPSTREAM_FILE = join(folder, 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
  server = await runServer((port) => ({ UPSTREAM_FILE, BASE_URL: `http://localhost:${port}` }))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const op = Object.values(ops).find(({ issuer }) => String(url).startsWith(issuer))
    return op === undefined ? fetch(url, init) : op.fetch(url, init as never)
  })
})
afterEach(() => vi.unstubAllGlobals())

const newBrowser = () => new PasskeyBrowser(server.baseUrl)

/** Signs in at a provider, from this page. */
async function comesBy(browser: PasskeyBrowser, name: Name, email: string, from = '/login?prompt=') {
  ops[name].user = { sub: email, email, email_verified: true }
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.go(from)).body) ?? []
  const { url } = await browser.go(`/login/with/${name}`, { token, return_to: '/account' })
  return browser.go(ops[name].visit(url.href).headers.get('location') ?? '')
}

/** The way to a provider from the account page. */
async function connecting(browser: PasskeyBrowser, provider: Name): Promise<URL> {
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.go('/account')).body) ?? []
  const { body } = await browser.go('/account/identities', { token, provider })
  return new URL(plain(/<a href="(https:[^"]+)">/.exec(body)?.[1] ?? ''))
}

/** Connects a provider, as its user with this address. */
async function connects(browser: PasskeyBrowser, name: Name, email: string): Promise<Shown> {
  const { href } = await connecting(browser, name)
  ops[name].user = { sub: email, email, email_verified: true }
  return browser.go(ops[name].visit(href).headers.get('location') ?? '')
}

/** The provider denies it. */
function denied(browser: PasskeyBrowser, name: Name, { searchParams }: URL): Promise<Shown> {
  const answer = { error: 'access_denied', state: searchParams.get('state') ?? '', iss: ops[name].issuer }
  return browser.go(`/login/with/${name}/callback?${new URLSearchParams(answer)}`)
}

const plain = (escaped: string) => escaped.replaceAll('&amp;', '&')

const newAddress = () => `${crypto.randomUUID()}@partner.example`

/** The browser of a user who has the provider alone. */
async function ofPartner(email = newAddress()) {
  const browser = newBrowser()
  expect((await comesBy(browser, 'partner', email)).url.pathname).toBe('/account')
  return { browser, email, id: (await server.accounts.idOf(email)) ?? '' }
}

/** The browser of a user who has a password alone. */
async function ofPassword() {
  const browser = newBrowser()
  const { id, email } = await newUser(server, PASSWORD)
  await browser.submit(await browser.go('/login'), 'password', { email, password: PASSWORD })
  return { browser, id, email }
}

/** The ways that the page offers, in its order. */
const waysOf = ({ body }: Shown) =>
  [...body.matchAll(/<form method="post" action="\/login(\/[^"]*)?"/g)].map(([, way]) => way ?? 'password')
const EVERY_WAY = ['password', '/passkey', '/with/partner', '/with/other']

describe('the sign-in page of a user who has to sign in again', () => {
  it.each([AGAIN, '/login?max_age=0', '/login?max_age=600', '/login?acr_values=pwd'])(
    'offers a user of a provider alone that provider: %s',
    async (address) => {
      const { browser } = await ofPartner()
      const page = await browser.go(address)
      expect(waysOf(page)).toEqual(['/with/partner'])
      expect(page.body).not.toContain('/login/forgot')
    },
  )

  it('offers a user of passkeys alone the passkey', async () => {
    const { browser, id } = await ofPartner()
    const passkey = softwareAuthenticator(server.baseUrl)
    await browser.addPasskey(passkey)
    expect(waysOf(await browser.go(AGAIN))).toEqual(['/passkey', '/with/partner'])
    await server.accounts.removeIdentity(
      id,
      ops.partner.issuer,
      (await server.accounts.find(id))?.email ?? '',
    )
    await browser.byPasskey(await browser.go('/login'), passkey)
    const page = await browser.go(AGAIN)
    expect(waysOf(page)).toEqual(['/passkey'])
    const rejected = await browser.byPasskey(page, softwareAuthenticator(server.baseUrl))
    expect([rejected.status, waysOf(rejected)]).toEqual([401, ['/passkey']])
    expect(rejected.body, 'the user has none').not.toMatch(/password/i)
    expect((await browser.byPasskey(page, passkey)).url.pathname).toBe('/account')
  })

  it('offers a user of a password that', async () => {
    const { browser } = await ofPassword()
    expect(waysOf(await browser.go(AGAIN))).toEqual(['password'])
  })

  it('leads to every way, for another account', async () => {
    const { browser } = await ofPartner()
    const [, link = ''] = /href="([^"]+)">Use another account</.exec((await browser.go(AGAIN)).body) ?? []
    const page = await browser.go(plain(link))
    expect(waysOf(page)).toEqual(EVERY_WAY)
    expect(page.body).toContain('name="prompt" value="login select_account"')
    expect(page.body).not.toContain('Use another account')
  })

  it('offers every way where the app names another user', async () => {
    const { browser, email } = await ofPartner()
    expect(waysOf(await browser.go(`${AGAIN}&login_hint=another@partner.example`))).toEqual(EVERY_WAY)
    expect(waysOf(await browser.go(`${AGAIN}&login_hint=${email.toUpperCase()}`))).toEqual(['/with/partner'])
  })

  it('tells nothing of an account to a browser without its session', async () => {
    const { browser, email, id } = await ofPartner()
    const strangers = { none: newBrowser(), ended: newBrowser() }
    strangers.ended.take(browser)
    await server.accounts.endSessions(id, 'user')
    const { browser: other } = await ofPassword()
    const hinted = `${AGAIN}&login_hint=${email}`
    for (const stranger of Object.values(strangers))
      expect(waysOf(await stranger.go(hinted))).toEqual(EVERY_WAY)
    expect(waysOf(await other.go(hinted))).toEqual(EVERY_WAY)
    const sent = await newBrowser().submit(await newBrowser().go(AGAIN), 'password', { email, password: 'x' })
    expect(waysOf(sent)).toEqual(EVERY_WAY)
  })
})

describe('a provider that a signed-in user cannot connect', () => {
  it('leads back to the account page, without a form to sign in', async () => {
    const taken = newAddress()
    await comesBy(newBrowser(), 'other', taken)
    const { browser } = await ofPartner()
    const pages = [
      [await connects(browser, 'other', taken), 'connected with another account'],
      [await denied(browser, 'other', await connecting(browser, 'other')), 'did not sign you in'],
    ] as const
    for (const [page, words] of pages) {
      expect([page.status, waysOf(page)]).toEqual([403, []])
      expect(page.body).toContain('<h1>Your account</h1>')
      expect(page.body).toMatch(new RegExp(`role="alert">[^<]*${words}[^<]*</p>\\s*<p>Reference: <code>`))
    }
  })

  it('leads to the sign-in page where the session has ended meanwhile', async () => {
    const { browser, id } = await ofPassword()
    const way = await connecting(browser, 'other')
    await server.accounts.endSessions(id, 'user')
    expect(waysOf(await denied(browser, 'other', way))).toEqual(EVERY_WAY)
  })
})

describe('the list of the refused sign-ins of a user', () => {
  const refusedOf = async (subject: string) =>
    (await server.attempts.latestFailures({ subject }, 10)).map(({ verdict }) => verdict.id)

  it('has those of a connection', async () => {
    const taken = newAddress()
    await comesBy(newBrowser(), 'other', taken)
    const { browser, id } = await ofPartner()
    await connects(browser, 'other', taken)
    await denied(browser, 'other', await connecting(browser, 'other'))
    expect(await refusedOf(id)).toEqual(['provider_denied', 'identity_in_use'])
    const events = server.events.filter(({ type }) => type === 'sign_in_refused').slice(-2)
    expect(events).toMatchObject([{ subject: id }, { subject: id }])
  })

  it('has those of a new sign-in, also with an identity of nobody', async () => {
    const { browser, id, email } = await ofPassword()
    await comesBy(browser, 'partner', email, `${AGAIN}%20select_account`)
    expect(await refusedOf(id)).toEqual(['email_in_use'])
    expect((await browser.go('/account')).body, 'the user has read why').not.toContain('Sign-ins that failed')
  })

  it('has none of a stranger who claims an address or an identity', async () => {
    const { id, email } = await ofPassword()
    await comesBy(newBrowser(), 'partner', email)
    expect(server.events.findLast(({ type }) => type === 'sign_in_refused')).toMatchObject({ subject: id })
    const { id: other, email: linked } = await ofPartner()
    await server.accounts.setDisabled(other, true)
    await comesBy(newBrowser(), 'partner', linked)
    expect([await refusedOf(id), await refusedOf(other)]).toEqual([[], []])
  })

  it('has none of a callback that another site made the browser load', async () => {
    const { browser, id } = await ofPartner()
    expect((await browser.go('/login/with/partner/callback?error=access_denied')).status).toBe(403)
    expect(await refusedOf(id)).toEqual([])
  })
})
