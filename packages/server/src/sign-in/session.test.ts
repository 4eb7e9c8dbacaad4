import type { EndedSessions } from '@grantkit/core/internal'
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DANA } from '../../test/people.ts'
import { type AccountRows, accountRows } from '../accounts/account-rows.ts'
import type { StoredAccount } from '../accounts/accounts.ts'
import { openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { type Sessions, sessionsOfBrowsers } from './session.ts'

const SECRET = 'a secret of the tests, long enough'
const HTTP = 'http://server.example'
const HTTPS = 'https://server.example'
const database = await openDatabase('memory:', () => {})
await migrate(database)
afterAll(() => database.destroy())

/** Milliseconds. Time passes only where a test says so. */
const START = Date.UTC(2027, 0, 15, 8)

let accounts: AccountRows
let alice: StoredAccount
let onEnding: (ended: EndedSessions) => Promise<void>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  onEnding = async () => {}
  for (const table of ['account', 'session'] as const) await database.deleteFrom(table).execute()
  accounts = accountRows(
    database,
    () => {},
    (ended) => onEnding(ended),
  )
  await accounts.add({ ...DANA, id: 'alice' })
  alice = await stored()
})

async function stored(id = 'alice'): Promise<StoredAccount> {
  const account = await accounts.find(id)
  if (account === undefined) throw new Error('The account was not added')
  return account
}

function openSessions({ secret = SECRET, baseUrl = HTTP, find = accounts.find } = {}): Sessions {
  return sessionsOfBrowsers({
    secret,
    baseUrl,
    accounts: { find, sessions: accounts.sessions },
    demandPasskey: async () => false,
  })
}

/** The Cookie header of a browser after this Set-Cookie. */
function sent(setCookie: string): string | undefined {
  return setCookie.split(';')[0]
}

/** A new session in a browser without one. */
function begin(sessions: Sessions, account = alice) {
  return sessions.start(account, undefined)
}

async function cookieAt(baseUrl: string): Promise<string> {
  return (await begin(openSessions({ baseUrl }))).cookie
}

afterEach(() => void vi.useRealTimers())

describe('a session', () => {
  it('is read from its cookie: the user, the time of the sign-in and a unique id', async () => {
    const sessions = openSessions()
    const signedInAt = START / 1000
    const [first, second] = [await begin(sessions), await begin(sessions)]
    vi.setSystemTime((signedInAt + 301) * 1000)
    const session = await sessions.read(sent(first.cookie))
    expect(session).toEqual({
      id: expect.any(String),
      subject: 'alice',
      epoch: alice.sessionEpoch,
      authTime: signedInAt,
      confirmedAt: signedInAt,
      acr: 'pwd',
      startedAt: signedInAt,
      usedAt: signedInAt,
      expiresAt: signedInAt + 12 * 3600,
    })
    expect(first.session, 'as it was started').toEqual(session)
    expect((await sessions.read(sent(second.cookie)))?.id).not.toBe(session?.id)
  })

  it.each<[string, (sessions: Sessions, cookie: string | undefined, id: string) => Promise<unknown>]>([
    ['its browser', (sessions, cookie) => sessions.end(cookie)],
    ['another browser', (_, __, id) => accounts.sessions.end('alice', id)],
  ])('that %s ends is reported before, and after: until then it may open a grant', async (_, end) => {
    const sessions = openSessions()
    const reported: unknown[] = []
    onEnding = async ({ sessionIds: [id = ''] }) =>
      void reported.push([id, (await accounts.sessions.find(id)) === undefined])
    const { session, cookie } = await begin(sessions)
    await end(sessions, sent(cookie), session.id)
    expect(reported).toEqual([
      [session.id, false],
      [session.id, true],
    ])
  })

  it('is ended by nobody but its user', async () => {
    const sessions = openSessions()
    const { session, cookie } = await begin(sessions)
    await accounts.sessions.end('bob', session.id)
    expect(await sessions.read(sent(cookie))).toBeDefined()
  })

  it('is in the list of its user, the newest first, with its last use within five minutes', async () => {
    const sessions = openSessions()
    const first = await begin(sessions)
    vi.setSystemTime(START + 1000)
    const second = await begin(sessions)
    vi.setSystemTime(START + 200_000)
    await sessions.read(sent(first.cookie))
    expect(await accounts.sessions.list('alice')).toMatchObject([
      { id: second.session.id, usedAt: (START + 1000) / 1000 },
      { id: first.session.id, usedAt: START / 1000 },
    ])
    vi.setSystemTime(START + 300_000)
    await sessions.read(sent(first.cookie))
    expect(await accounts.sessions.list('alice')).toMatchObject([{}, { usedAt: (START + 300_000) / 1000 }])
    vi.setSystemTime(START + 12 * 3600_000)
    expect(await accounts.sessions.list('alice')).toMatchObject([{ id: second.session.id }])
  })

  it('is used without a record for five minutes after one could not be written', async () => {
    const sessions = openSessions()
    const cookie = sent((await begin(sessions)).cookie)
    const update = vi.spyOn(database, 'updateTable')
    onTestFinished(() => update.mockRestore())
    update.mockImplementationOnce(() => {
      throw new Error('The database is read-only')
    })
    for (const [seconds, writes] of [
      [299, 0],
      [300, 1],
      [301, 1],
      [599, 1],
      [600, 2],
    ] as const) {
      vi.setSystemTime(START + seconds * 1000)
      expect(await sessions.read(cookie)).toBeDefined()
      expect(update, `after ${seconds} seconds`).toHaveBeenCalledTimes(writes)
    }
  })

  it('leaves no row for ever, however many there are', async () => {
    const sessions = openSessions()
    await begin(sessions)
    const row = await database.selectFrom('session').selectAll().executeTakeFirstOrThrow()
    const more = Array.from({ length: 1000 }, (_, n) => ({ ...row, id: `${n}`, account: `of-${n}` }))
    await database.insertInto('session').values(more).execute()
    vi.setSystemTime(START + 25 * 3600_000)
    await begin(sessions)
    expect(await database.selectFrom('session').select('id').execute()).toHaveLength(1)
  })

  it('ends when its user has a hundred newer ones, and no other user loses one', async () => {
    const sessions = openSessions()
    await accounts.add({ ...DANA, id: 'bob', email: 'bob@server.example' })
    const bob = (await accounts.find('bob')) ?? alice
    const others = await begin(sessions, bob)
    const [first, second] = [await begin(sessions), await begin(sessions)]
    for (let n = 1; n <= 99; n++) {
      vi.setSystemTime(START + n * 1000)
      await begin(sessions)
    }
    expect(await accounts.sessions.list('alice')).toHaveLength(100)
    vi.setSystemTime(START + 100_000)
    await begin(sessions)
    expect(await accounts.sessions.list('alice')).toHaveLength(100)
    for (const { cookie } of [first, second]) expect(await sessions.read(sent(cookie))).toBeUndefined()
    expect(await sessions.read(sent(others.cookie))).toBeDefined()
  })

  it('starts although expired ones cannot be deleted, which is reported', async () => {
    const onError = vi.fn()
    const { find, sessions } = accountRows(database, () => {}, undefined, onError)
    const down = new Error('The database is down')
    vi.spyOn(database, 'deleteFrom').mockImplementationOnce(() => {
      throw down
    })
    const inBrowsers = sessionsOfBrowsers({
      secret: SECRET,
      baseUrl: HTTP,
      accounts: { find, sessions },
      demandPasskey: async () => false,
    })
    const { cookie } = await begin(inBrowsers)
    expect(onError).toHaveBeenCalledExactlyOnceWith(down)
    expect(await inBrowsers.read(sent(cookie))).toBeDefined()
  })

  it('keeps what the page says of the sign-in: how it was, its class and its methods', async () => {
    const sessions = openSessions()
    const facts = { signedInBy: 'provider partner', acr: 'phr', amr: ['pop', 'user', 'mfa'] } as const
    const { cookie } = await sessions.start(alice, undefined, facts)
    expect(await sessions.read(sent(cookie))).toMatchObject(facts)
  })

  it('knows the provider of the session before, if it is of the same user, unless there is another one', async () => {
    const sessions = openSessions()
    const byPartner = await sessions.start(alice, undefined, { provider: 'partner' })
    const steppedUp = await sessions.start(alice, sent(byPartner.cookie), { signedInBy: 'passkey' })
    expect(await sessions.read(sent(steppedUp.cookie))).toMatchObject({
      signedInBy: 'passkey',
      provider: 'partner',
    })
    const byOther = await sessions.start(alice, sent(steppedUp.cookie), { provider: 'other' })
    expect(byOther.session.provider).toBe('other')
    await accounts.add({ ...DANA, id: 'bob', email: 'bob@example.com' })
    const { session } = await sessions.start(await stored('bob'), sent(byOther.cookie))
    expect(session.provider, 'of somebody else').toBeUndefined()
  })

  it('has ended, and its cookie still says the provider to whoever signs out once more', async () => {
    const sessions = openSessions()
    const { cookie } = await sessions.start(alice, undefined, { provider: 'partner' })
    for (const click of ['first', 'second'])
      expect((await sessions.end(sent(cookie))).provider, click).toBe('partner')
    expect((await sessions.end(`${sent(cookie)}x`)).provider, 'of a cookie that was changed').toBeUndefined()
  })

  it('has the weakest class if the sign-in had none, or one that does not exist', async () => {
    const sessions = openSessions()
    for (const acr of [undefined, 'urn:example:gold', 'phrh']) {
      const { session } = await sessions.start(alice, undefined, { acr })
      expect(session.acr).toBe('pwd')
    }
  })

  it('is absent for a modified, foreign or missing cookie, which costs no read', async () => {
    const find = vi.fn(accounts.find)
    const sessions = openSessions({ find })
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
    expect(find).not.toHaveBeenCalled()
  })

  it('UI-10: a session ends on every replica, even if its cookie is kept, and ends no other', async () => {
    const [here, there] = [openSessions(), openSessions()]
    const [ended, other] = [await begin(here), await begin(here)]
    await here.end(sent(ended.cookie))
    for (const sessions of [here, there]) {
      expect(await sessions.read(sent(ended.cookie))).toBeUndefined()
      expect(await sessions.read(sent(other.cookie))).toEqual(other.session)
    }
  })

  it('ends when its browser signs in again, and not when another browser does', async () => {
    const sessions = openSessions()
    const [replaced, other] = [await begin(sessions), await begin(sessions)]
    const { cookie } = await sessions.start(alice, sent(replaced.cookie))
    expect(await sessions.read(sent(replaced.cookie))).toBeUndefined()
    expect(await sessions.read(sent(other.cookie))).toEqual(other.session)
    expect(await sessions.read(sent(cookie))).toBeDefined()
  })

  it('has the account that it was validated against, not one of a later epoch', async () => {
    const sessions = openSessions({
      async find(id) {
        const before = await accounts.find(id)
        await accounts.endSessions(id, 'user')
        return before
      },
    })
    const { cookie } = await begin(openSessions())
    expect(await sessions.visit(sent(cookie))).toBeUndefined()
  })

  it('does not start if the account changed while its password was checked', async () => {
    const sessions = openSessions()
    await accounts.endSessions('alice', 'user')
    expect(await sessions.read(sent((await begin(sessions)).cookie))).toBeUndefined()
    expect(await sessions.read(sent((await begin(sessions, await stored())).cookie))).toBeDefined()
  })

  it('ends when a replica of the previous release ends all, which deletes no row', async () => {
    const sessions = openSessions()
    const { cookie } = await begin(sessions)
    const next = { session_epoch: alice.sessionEpoch + 1 }
    await database.updateTable('account').set(next).where('id', '=', 'alice').execute()
    expect(await sessions.visit(sent(cookie))).toBeUndefined()
    expect(await sessions.read(sent((await begin(sessions, await stored())).cookie))).toBeDefined()
  })

  it('ends with its account', async () => {
    const { cookie } = await begin(openSessions())
    const gone = openSessions({ find: async () => undefined })
    expect(await gone.read(sent(cookie))).toBeUndefined()
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
    vi.setSystemTime(START + hours * 3600_000 - 1000)
    expect(await sessions.read(sent(cookie))).toBeDefined()
    vi.setSystemTime(START + hours * 3600_000)
    expect(await sessions.read(sent(cookie))).toBeUndefined()
  })

  it('hides its cookie from scripts, other sites and sibling hosts', async () => {
    expect(await cookieAt(HTTPS)).toMatch(
      /^__Host-session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(await cookieAt(HTTP)).toMatch(/^session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await openSessions().end(sent(''))).cookie).toMatch(/^session=; Max-Age=0;/)
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
