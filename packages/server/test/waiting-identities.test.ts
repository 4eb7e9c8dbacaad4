import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { type TestProvider, testProvider } from '@grantkit/testkit/provider'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { identityRows } from '../src/accounts/upstream/identities.ts'
import { PasskeyBrowser, type Shown } from './passkey-browser.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** "Sign in to connect": who comes by a provider with the address of an account, and signs in to it. */

const PASSWORD = 'a password of the tests'
const MINUTE = 60 * 1000

let server: RunningServer
let folder: string
let ops: Readonly<Record<'partner' | 'weak', TestProvider>>

beforeAll(async () => {
  ops = {
    partner: testProvider({ issuer: 'https://partner.example', clientId: 'of-partner' }),
    weak: testProvider({ issuer: 'https://weak.example', clientId: 'of-weak' }),
  }
  const unbound = { label: 'Weak', pkce: false, nonce: false }
  const providers = [
    { ...ops.partner.settings, id: 'partner' },
    { ...ops.weak.settings, id: 'weak', ...unbound },
  ]
  folder = await folderInMemory('providers')
  const UPSTREAM_FILE = join(folder, 'upstream.json')
  await writeFile(UPSTREAM_FILE, JSON.stringify({ providers }))
  server = await runServer((port) => ({
    ...{ UPSTREAM_FILE, BASE_URL: `http://localhost:${port}`, RATE_LIMITS: 'off' },
  }))
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
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const newPerson = async () => ({
  ...(await newUser(server, PASSWORD)),
  browser: new PasskeyBrowser(server.baseUrl),
})
type Person = Awaited<ReturnType<typeof newPerson>>

/** Comes by a provider with an address, as another user of it each time. @returns the page that refuses that */
async function comesBy(
  browser: PasskeyBrowser,
  email: string,
  name: keyof typeof ops = 'partner',
): Promise<Shown> {
  ops[name].user = { sub: crypto.randomUUID(), email, email_verified: true }
  const [, token = ''] = /name="token" value="([^"]+)"/.exec((await browser.go('/login')).body) ?? []
  const { url } = await browser.go(`/login/with/${name}`, { token, return_to: '/account' })
  return browser.go(ops[name].visit(url.href).headers.get('location') ?? '')
}

function offerOf({ body }: Shown): string | undefined {
  return /href="([^"]*connect=[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
}

/** The page that connects. */
async function offered(browser: PasskeyBrowser, email: string): Promise<Shown> {
  return browser.go(offerOf(await comesBy(browser, email)) ?? '')
}

const signIn = (browser: PasskeyBrowser, page: Shown, email: string) =>
  browser.submit(page, 'password', { email, password: PASSWORD })
const linksOf = async (id: string) => (await identityRows(server.database).list(id)).length
const isRefused = (page: Shown) => /class="problem" role="alert">Partner was not connected/.test(page.body)

describe('the address of an account', () => {
  it('offers to connect the provider, by a page without other providers', async () => {
    const { email, browser } = await newPerson()
    const refused = await comesBy(browser, email)
    expect(refused.body).toContain('>Sign in to connect Partner</a>')
    const page = await browser.go(offerOf(refused) ?? '')
    expect([page.status, page.body]).toEqual([
      200,
      expect.stringContaining('<h1>Sign in to connect Partner</h1>'),
    ])
    expect(page.body).not.toContain('/login/with/')
  })

  it('is connected by its password: with an event, and other sessions end', async () => {
    const { id, email, browser } = await newPerson()
    const other = new PasskeyBrowser(server.baseUrl)
    await signIn(other, await other.go('/login'), email)
    const page = await signIn(browser, await offered(browser, email), email)
    expect([page.url.pathname, await linksOf(id)]).toEqual(['/account', 1])
    expect(server.events).toContainEqual({
      ...{ type: 'identity_linked', subject: id, issuer: ops.partner.issuer },
    })
    expect((await other.go('/account')).url.pathname).toBe('/login')
  })

  it('is connected by its passkey, in the language of the user', async () => {
    const { id, email, browser } = await newPerson()
    await signIn(browser, await browser.go('/login'), email)
    const key = softwareAuthenticator(server.baseUrl)
    await browser.addPasskey(key)
    const later = new PasskeyBrowser(server.baseUrl)
    const address = offerOf(await comesBy(later, email)) ?? ''
    const page = await later.go(`${address}&ui_locales=de`)
    expect(page.body).toContain('<h1>Anmelden und Partner verbinden</h1>')
    expect([(await later.byPasskey(page, key)).url.pathname, await linksOf(id)]).toEqual(['/account', 1])
  })

  it.each<[string, (person: Person) => Promise<unknown>, 'partner' | 'weak']>([
    ['that has neither a password nor a passkey', ({ id }) => withoutPassword(id), 'partner'],
    [
      'of an admin, where the provider has neither PKCE nor a nonce',
      ({ id }) => server.accounts.setAdmin(id, true),
      'weak',
    ],
  ])('%s offers nothing', async (_, change, name) => {
    const person = await newPerson()
    await change(person)
    expect(offerOf(await comesBy(person.browser, person.email, name))).toBeUndefined()
  })
})

const withoutPassword = (id: string) =>
  server.database.updateTable('account').set({ password: '' }).where('id', '=', id).execute()

describe('an identity that waits is not connected', () => {
  it('by a sign-in from the usual page, nor by one at a provider', async () => {
    const { id, email, browser } = await newPerson()
    const refused = await comesBy(browser, email)
    expect((await signIn(browser, refused, email)).url.pathname).toBe('/account')
    expect(await linksOf(id)).toBe(0)
  })

  it('to another account than the one with the address', async () => {
    const [ada, bob] = [await newPerson(), await newPerson()]
    const page = await signIn(ada.browser, await offered(ada.browser, ada.email), bob.email)
    expect([page.status, isRefused(page)]).toEqual([403, true])
    expect([await linksOf(ada.id), await linksOf(bob.id)]).toEqual([0, 0])
    expect((await ada.browser.go('/account')).url.pathname, 'nobody is signed in').toBe('/login')
  })

  it('swapped for that of another tab, or for that of another browser', async () => {
    const { id, email, browser } = await newPerson()
    const mallory = await newPerson()
    const hers = await offered(mallory.browser, email)
    const [, connect = ''] = /name="connect" value="([^"]+)"/.exec(hers.body) ?? []
    const own = await offered(browser, mallory.email)
    const mixed = await browser.submit(own, 'password', { email, password: PASSWORD, connect })
    expect([mixed.status, mixed.body]).toEqual([403, expect.stringContaining('This form has expired')])
    const swapped = await signIn(browser, own, email)
    expect(isRefused(swapped), 'an identity that waits for the account of Mallory').toBe(true)
    expect([await linksOf(id), await linksOf(mallory.id)]).toEqual([0, 0])
  })

  it('after ten minutes', async () => {
    const { id, email, browser } = await newPerson()
    const page = await offered(browser, email)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * MINUTE + 1000 })
    const late = await signIn(browser, page, email)
    expect([late.status, late.body]).toEqual([403, expect.stringContaining('This form has expired')])
    expect(await linksOf(id)).toBe(0)
  })

  it('twice: not after the user has removed it', async () => {
    const { id, email, browser } = await newPerson()
    const thief = new PasskeyBrowser(server.baseUrl)
    const page = await offered(browser, email)
    thief.take(browser)
    await signIn(browser, page, email)
    const [link] = await identityRows(server.database).list(id)
    await server.accounts.removeIdentity(id, link?.issuer ?? '', link?.identity ?? '')
    expect(isRefused(await signIn(thief, page, email))).toBe(true)
    expect(await linksOf(id)).toBe(0)
  })

  it('after the sessions of the account have ended', async () => {
    const { id, email, browser } = await newPerson()
    const page = await offered(browser, email)
    await server.operator.users.endSessions(id)
    expect(isRefused(await signIn(browser, page, email))).toBe(true)
    expect(await linksOf(id)).toBe(0)
  })

  it('by the password of an admin who has a passkey', async () => {
    const { id, email, browser } = await newPerson()
    await server.accounts.setAdmin(id, true)
    await signIn(browser, await browser.go('/login'), email)
    await browser.addPasskey(softwareAuthenticator(server.baseUrl))
    const thief = new PasskeyBrowser(server.baseUrl)
    expect(isRefused(await signIn(thief, await offered(thief, email), email))).toBe(true)
    expect(await linksOf(id)).toBe(0)
  })
})
