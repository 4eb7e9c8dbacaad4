import type { EndedSessions } from '@grantkit/core/internal'
import { createMemoryStore } from '@grantkit/store-memory'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DANA } from '../../test/people.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { type Sessions, sessionsInCookies } from './session.ts'

const SECRET = 'a secret of the tests, long enough'
const HTTP = 'http://server.example'
const HTTPS = 'https://server.example'
const ALICE: StoredAccount = { ...DANA, id: 'alice', sessionEpoch: 0, emailSource: 'operator' }

function openSessions({
  secret = SECRET,
  baseUrl = HTTP,
  accounts = [ALICE],
  find = async (id: string) => accounts.find((account) => account.id === id),
  store = createMemoryStore(),
  onEnding = async (_: EndedSessions) => {},
} = {}): Sessions {
  return sessionsInCookies({ secret, baseUrl, accounts: { find }, store, onEvent: () => {}, onEnding })
}

/** The Cookie header of a browser after this Set-Cookie. */
function sent(setCookie: string): string | undefined {
  return setCookie.split(';')[0]
}

/** A new session in a browser without one. */
function begin(sessions: Sessions, account = ALICE) {
  return sessions.start(account, undefined)
}

async function cookieAt(baseUrl: string): Promise<string> {
  return (await begin(openSessions({ baseUrl }))).cookie
}

afterEach(() => void vi.useRealTimers())

describe('a session', () => {
  it('is read from its cookie: the user, the time of the sign-in and a unique id', async () => {
    const sessions = openSessions()
    const signedInAt = Math.floor(Date.now() / 1000)
    vi.useFakeTimers({ toFake: ['Date'], now: signedInAt * 1000 })
    const [first, second] = [await begin(sessions), await begin(sessions)]
    vi.setSystemTime((signedInAt + 301) * 1000)
    const session = await sessions.read(sent(first.cookie))
    expect(session).toEqual({
      id: expect.any(String),
      subject: 'alice',
      authTime: signedInAt,
      confirmedAt: signedInAt,
      acr: 'pwd',
    })
    expect(first.session, 'as it was started').toEqual(session)
    expect((await sessions.read(sent(second.cookie)))?.id).not.toBe(session?.id)
  })

  it.each<[string, (sessions: Sessions, cookie: string | undefined, id: string) => Promise<unknown>]>([
    ['its browser', (sessions, cookie) => sessions.end(cookie)],
    [
      'another browser',
      (sessions, _, id) => sessions.endOther({ id, subject: 'alice', at: Date.now() / 1000 }),
    ],
  ])('that %s ends is reported before, and after: until then it may open a grant', async (_, end) => {
    const reported: unknown[] = []
    const sessions: Sessions = openSessions({
      onEnding: async ({ sessionIds: [id = ''] }) => void reported.push([id, await sessions.hasEnded(id)]),
    })
    const { session, cookie } = await begin(sessions)
    await end(sessions, sent(cookie), session.id)
    expect(reported).toEqual([
      [session.id, false],
      [session.id, true],
    ])
  })

  it('keeps what the page says of the sign-in: how it was, its class and its methods', async () => {
    const sessions = openSessions()
    const facts = { signedInBy: 'provider partner', acr: 'phr', amr: ['pop', 'user', 'mfa'] } as const
    const { cookie } = await sessions.start(ALICE, undefined, facts)
    expect(await sessions.read(sent(cookie))).toMatchObject(facts)
  })

  it('has the weakest class if the sign-in had none, or one that does not exist', async () => {
    const sessions = openSessions()
    for (const acr of [undefined, 'urn:example:gold', 'phrh']) {
      const { session } = await sessions.start(ALICE, undefined, { acr })
      expect(session.acr).toBe('pwd')
    }
  })

  it('is absent for a modified, foreign or missing cookie', async () => {
    const sessions = openSessions()
    const cookie = sent((await begin(sessions)).cookie) ?? ''
    const { cookie: elsewhere } = await begin(openSessions({ secret: 'another secret, also long enough!!' }))
    const unsigned = `session=${btoa('{"alg":"none"}')}.${btoa('{"sub":"alice","jti":"1","iat":1}')}.`
    for (const forged of [
      `${cookie}x`,
      cookie.replace('session=', 'session=x'),
      elsewhere,
      unsigned,
      'session=',
      '',
    ]) {
      expect(await sessions.read(sent(forged)), forged).toBeUndefined()
    }
  })

  it('ends on every replica, even if its cookie is kept, and ends no other session', async () => {
    const store = createMemoryStore()
    const [here, there] = [openSessions({ store }), openSessions({ store })]
    const [ended, other] = [await begin(here), await begin(here)]
    await here.end(sent(ended.cookie))
    for (const sessions of [here, there]) {
      expect(await sessions.read(sent(ended.cookie))).toBeUndefined()
      expect(await sessions.read(sent(other.cookie))).toEqual(other.session)
    }
  })

  it('stays ended until its cookie expires, even if the clock of the store is a minute ahead', async () => {
    const store = createMemoryStore({ now: () => Math.floor(Date.now() / 1000) + 59 })
    const sessions = openSessions({ store })
    const { cookie } = await begin(sessions)
    await sessions.end(sent(cookie))
    vi.useFakeTimers({ now: Date.now() + (12 * 3600 - 2) * 1000 })
    expect(await sessions.read(sent(cookie))).toBeUndefined()
  })

  it('ends when its browser signs in again, and not when another browser does', async () => {
    const sessions = openSessions()
    const [replaced, other] = [await begin(sessions), await begin(sessions)]
    const { cookie } = await sessions.start(ALICE, sent(replaced.cookie))
    expect(await sessions.read(sent(replaced.cookie))).toBeUndefined()
    expect(await sessions.read(sent(other.cookie))).toEqual(other.session)
    expect(await sessions.read(sent(cookie))).toBeDefined()
  })

  it.each([
    ['with a new password, also if a release without epochs has set it', { password: 'scrypt$b' }],
    ['with the epoch of its account', { sessionEpoch: 1 }],
  ])('ends %s', async (_, change) => {
    const { cookie } = await begin(openSessions())
    const changed = openSessions({ accounts: [{ ...ALICE, ...change }] })
    expect(await changed.read(sent(cookie))).toBeUndefined()
  })

  it('has the account that it was validated against, not one of a later epoch', async () => {
    const { cookie } = await begin(openSessions())
    const readings = [ALICE, { ...ALICE, sessionEpoch: 1 }]
    const visit = await openSessions({ find: async () => readings.shift() }).visit(sent(cookie))
    expect(visit?.account.sessionEpoch).toBe(0)
  })

  it('does not start if the account changed while its password was checked', async () => {
    const sessions = openSessions({ accounts: [{ ...ALICE, sessionEpoch: 1 }] })
    expect(await sessions.read(sent((await begin(sessions)).cookie))).toBeUndefined()
  })

  it('ends with its account', async () => {
    const { cookie } = await begin(openSessions())
    expect(await openSessions({ accounts: [] }).read(sent(cookie))).toBeUndefined()
    expect(await openSessions().read(sent(cookie)), 'nothing has changed').toBeDefined()
  })

  it.each([
    ['https://server.example', 12],
    ['http://server.example', 12],
    ['http://127.0.0.1:3000', 1],
    ['http://[::1]:3000', 1],
    ['http://localhost', 1],
    ['https://login.localhost:8443', 1],
  ])('at %s ends by itself after hours: %i', async (baseUrl, hours) => {
    const sessions = openSessions({ baseUrl })
    const { cookie } = await begin(sessions)
    expect(cookie).toContain(`Max-Age=${hours * 3600};`)
    vi.useFakeTimers({ now: Date.now() + hours * 3600 * 1000 - 5000 })
    expect(await sessions.read(sent(cookie))).toBeDefined()
    vi.useFakeTimers({ now: Date.now() + 6000 })
    expect(await sessions.read(sent(cookie))).toBeUndefined()
  })

  it('hides its cookie from scripts, other sites and sibling hosts', async () => {
    expect(await cookieAt(HTTPS)).toMatch(
      /^__Host-session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(await cookieAt(HTTP)).toMatch(/^session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(await openSessions().end(sent(''))).toMatch(/^session=; Max-Age=0;/)
  })

  it('has another cookie name for another service on the same host', async () => {
    expect(await cookieAt('http://127.0.0.1:3000')).toMatch(/^session-3000=/)
    expect(await cookieAt('https://server.example:8443')).toMatch(/^__Host-session-8443=/)
    const paths = ['/school', '/notes', '/School', '/notes/two']
    const names = await Promise.all(
      paths.map(async (path) => /^[^=]+/.exec(await cookieAt(`https://server.example${path}`))?.[0]),
    )
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^__Host-session-[\da-f]{8}$/)
    expect(await cookieAt('http://127.0.0.1:3000/notes')).toMatch(/^session-3000-[\da-f]{8}=/)
  })
})
