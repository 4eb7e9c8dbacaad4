import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { softwareAuthenticator } from '@grantkit/test-servers/software-authenticator'
import { type TestProvider, testProvider } from '@grantkit/testkit/provider'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import { identityRows } from '../src/accounts/upstream/identities.ts'
import type { UpstreamSignIn } from '../src/accounts/upstream/upstream-sign-in.ts'
import { waitingIdentities } from '../src/sign-in/waiting-identities.ts'
import { adminSignIns, waysToSignIn } from '../src/sign-in/ways-to-sign-in.ts'
import { failingAt } from './failing-statements.ts'
import { PROVIDER } from './partner.ts'
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
  server = await runServer((port) => ({ UPSTREAM_FILE, BASE_URL: `http://localhost:${port}` }), {
    requirePasskey: { who: ['staff'], from: '2020-01-01' },
  })
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
const isRefused = ({ body }: Shown) =>
  body.includes('role="alert">Partner was not connected. Sign in to the account') &&
  body.includes('name="connect"')
/** The page of a usual sign-in, with the way to begin again. */
const isLost = ({ body }: Shown) =>
  body.includes('role="alert">Partner was not connected. Begin again with Partner.') &&
  body.includes('action="/login/with/partner"') &&
  !body.includes('name="connect"')
/** What the trail has of refused sign-ins to an account. */
const failuresOf = (id: string) =>
  server.events.flatMap((event) =>
    event.type === 'sign_in_failed' && event.subject === id ? [event.reason] : [],
  )
const linkedOf = (id: string) =>
  server.events.filter((event) => event.type === 'identity_linked' && event.subject === id).length

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
    const [session] = await server.accounts.sessions.list(id)
    expect(session?.provider, 'where a sign-out leads').toBe('partner')
    expect((await other.go('/account')).url.pathname).toBe('/login')
  })

  it('is connected by a double click once, and its user is signed in', async () => {
    const { id, email, browser } = await newPerson()
    const page = await offered(browser, email)
    const second = new PasskeyBrowser(server.baseUrl)
    second.take(browser)
    const third = new PasskeyBrowser(server.baseUrl)
    third.take(browser)
    const clicks = await Promise.all([signIn(browser, page, email), signIn(second, page, email)])
    clicks.push(await signIn(third, page, email))
    expect(clicks.map(({ url }) => url.pathname)).toEqual(['/account', '/account', '/account'])
    expect([await linksOf(id), linkedOf(id), failuresOf(id)]).toEqual([1, 1, []])
  })

  it('is connected with the end of the other sessions, or neither happens, whichever write fails', async () => {
    const { id } = await newPerson()
    const { database, store } = server
    const account = await server.accounts.find(id)
    if (account === undefined) throw new Error('The account is missing')
    const { sessionEpoch } = account
    const identity = { id: '', label: '', issuer: PROVIDER.issuer, subject: id, tenant: '', oid: '' }
    const waits = { ...identity, provider: PROVIDER.id, account: id, epoch: String(sessionEpoch) }
    const own = { secret: 'a secret of the tests, long enough', baseUrl: server.baseUrl }
    const connectAt = (failing: number) => {
      const accounts = accountRows(failingAt(failing, database), () => {})
      const providers = [{ provider: PROVIDER } as UpstreamSignIn]
      const ways = waysToSignIn({ ...own, name: 'Notes', store, database, accounts, providers })
      const admins = adminSignIns({ ...ways, acr: undefined })
      const waiting = waitingIdentities({ ...own, accounts, ways, adminSignIns: admins })
      return waiting.connect(waits, account, 'pwd')
    }
    for (let failing = 1; (await linksOf(id)) === 0; failing++) {
      const failed = await connectAt(failing).catch((error: Error) => error.message)
      const { sessionEpoch: now } = (await server.accounts.find(id)) ?? account
      if (typeof failed === 'string')
        expect([failed, await linksOf(id), now]).toEqual([`Write ${failing} failed`, 0, sessionEpoch])
      else expect([failed, await linksOf(id), now]).toEqual([expect.anything(), 1, sessionEpoch + 1])
    }
    const second = { account: { ...account, sessionEpoch: sessionEpoch + 1 }, isNew: false }
    expect(await connectAt(0), 'a click at the same time, which had read the account before').toEqual(second)
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

describe('of an account that needs a passkey, it', () => {
  const employ = ({ id }: Person) =>
    server.database
      .updateTable('account')
      .set({ claims: JSON.stringify({ roles: ['staff'] }) })
      .where('id', '=', id)
      .execute()

  it('goes on to wait for the passkey after a password', async () => {
    const person = await newPerson()
    const { id, email, browser } = person
    await signIn(browser, await browser.go('/login'), email)
    const key = softwareAuthenticator(server.baseUrl)
    await browser.addPasskey(key)
    await employ(person)
    const later = new PasskeyBrowser(server.baseUrl)
    const page = await signIn(later, await offered(later, email), email)
    expect(page.body).toContain('This account opens only with its passkey')
    expect(await linksOf(id)).toBe(0)
    expect([(await later.byPasskey(page, key)).url.pathname, await linksOf(id)]).toEqual(['/account', 1])
  })

  it('waits no more where the user has to add a first one', async () => {
    const person = await newPerson()
    const { id, email, browser } = person
    await employ(person)
    const page = await offered(browser, email)
    expect((await signIn(browser, page, email)).url.pathname).toBe('/login/enrol')
    expect((await browser.go(page.url.href)).body).toContain('This form has expired')
    expect(await linksOf(id)).toBe(0)
  })
})

describe('an identity that waits is not connected', () => {
  it('by a thief of a password, who learns nothing for free: a right one resets no limit', async () => {
    const [ada, mallory] = [await newPerson(), await newPerson()]
    const page = await offered(mallory.browser, mallory.email)
    const statusOf = async (password: string) =>
      (await mallory.browser.submit(page, 'password', { email: ada.email, password })).status
    for (let n = 0; n < 9; n++) expect(await statusOf(`guess ${n}`)).toBe(401)
    expect([await statusOf(PASSWORD), await statusOf('one more')]).toEqual([403, 429])
    expect(failuresOf(ada.id).slice(-2)).toEqual(['not_connected', 'too_many_attempts'])
  })

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
    expect([failuresOf(ada.id), failuresOf(bob.id)], 'the trail').toEqual([[], ['not_connected']])
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
    expect(isLost(await signIn(thief, page, email))).toBe(true)
    expect(await linksOf(id)).toBe(0)
  })

  it('after the sessions of the account have ended: the page leads to a usual sign-in', async () => {
    const { id, email, browser } = await newPerson()
    const page = await offered(browser, email)
    await server.operator.users.endSessions(id)
    const lost = await signIn(browser, page, email)
    expect([lost.status, isLost(lost), failuresOf(id)]).toEqual([403, true, ['not_connected']])
    expect((await browser.go(page.url.href)).body, 'the cookie').toContain('This form has expired')
    expect((await signIn(browser, lost, email)).url.pathname).toBe('/account')
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
