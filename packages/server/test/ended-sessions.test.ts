import { randomUUID } from 'node:crypto'
import { createMemoryStore } from '@grantkit/store-memory'
import { onBothDatabases } from '@grantkit/test-servers/on-both-databases'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { accountRows } from '../src/accounts/account-rows.ts'
import { hmacKeys, signValue, verifyValue } from '../src/http/signed-value.ts'
import { sessionsInCookies } from '../src/sign-in/session.ts'
import { waysToSignIn } from '../src/sign-in/ways-to-sign-in.ts'
import { connected } from './connected.ts'
import { DANA, THEO } from './people.ts'

/** What ends all sessions of an account, on every replica and for good. */

const SECRET = 'a secret of the tests, long enough'
const BASE_URL = 'https://server.example'
const COOKIE = '__Host-session'

onBothDatabases((newDatabase) => {
  async function open() {
    const url = await newDatabase()
    const store = createMemoryStore()
    const replica = async () => {
      const database = await connected(url)
      const accounts = accountRows(database, () => {})
      const parts = { secret: SECRET, baseUrl: BASE_URL, store, accounts }
      return {
        accounts,
        ways: waysToSignIn({ ...parts, name: 'A service', database, providers: [] }),
        sessions: sessionsInCookies({ ...parts, onEvent: () => {} }),
      }
    }
    const here = await replica()
    for (const account of [DANA, THEO]) await here.accounts.add(account)
    return { ...here, replicas: [here, await replica()] }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  async function cookieOf({ accounts, sessions }: Opened, id = DANA.id) {
    const account = await accounts.find(id)
    if (account === undefined) throw new Error(`${id} has no account`)
    return (await sessions.start(account, undefined)).cookie.split(';')[0] ?? ''
  }

  it.each<[string, (opened: Opened) => Promise<unknown>]>([
    ['is signed out everywhere by the user', ({ accounts }) => accounts.endSessions(DANA.id, 'user')],
    ['is signed out by an operator', ({ accounts }) => accounts.endSessions(DANA.id, 'operator')],
    ['has a new password', ({ accounts }) => accounts.setPassword(DANA.id, 'scrypt$another')],
    [
      'is disabled and enabled again',
      async ({ accounts }) => {
        await accounts.setDisabled(DANA.id, true)
        await accounts.setDisabled(DANA.id, false)
      },
    ],
    [
      'is no admin any more, even if it becomes one again',
      async ({ accounts }) => {
        await accounts.setAdmin(DANA.id, false)
        await accounts.setAdmin(DANA.id, true)
      },
    ],
    ['has one passkey less', ({ ways }) => ways.removal.removePasskey(DANA.id, 'key')],
    ['has one identity less', ({ ways }) => ways.removal.removeIdentity(DANA.id, 'issuer', 'a1')],
    ['is removed', ({ accounts }) => accounts.remove(DANA.id)],
  ])('an account that %s keeps no session, on no replica', async (_, change) => {
    const opened = await open()
    await opened.accounts.setAdmin(DANA.id, true)
    await addMethods(opened)
    const cookies = [await cookieOf(opened), asOfThePreviousRelease(await cookieOf(opened))]
    const other = await cookieOf(opened, THEO.id)
    for (const { sessions } of opened.replicas)
      for (const cookie of cookies) expect(await sessions.read(cookie)).toMatchObject({ subject: DANA.id })
    await change(opened)
    for (const { sessions } of opened.replicas) {
      for (const cookie of cookies) expect(await sessions.read(cookie)).toBeUndefined()
      expect(await sessions.read(other)).toMatchObject({ subject: THEO.id })
    }
  })

  it('a change that changes nothing ends no session', async () => {
    const opened = await open()
    const { accounts, sessions } = opened
    const cookie = await cookieOf(opened)
    expect(await accounts.setDisabled(DANA.id, false)).toBe(true)
    expect(await accounts.setAdmin(DANA.id, false)).toBe(true)
    expect(await sessions.read(cookie)).toBeDefined()
    expect([await accounts.setDisabled('nobody', true), await accounts.setAdmin('nobody', true)]).toEqual([
      false,
      false,
    ])
  })

  it('a new admin stays signed in', async () => {
    const opened = await open()
    const cookie = await cookieOf(opened)
    await opened.accounts.setAdmin(DANA.id, true)
    expect(await opened.sessions.read(cookie)).toBeDefined()
  })
})

async function addMethods({
  accounts,
  ways,
}: {
  accounts: ReturnType<typeof accountRows>
  ways: ReturnType<typeof waysToSignIn>
}) {
  const account = await accounts.find(DANA.id)
  if (account === undefined) throw new Error('There is no such account')
  const key = { id: 'key', subject: DANA.id, name: '', publicKey: '', counter: 0, transports: [] }
  await ways.passkeys.add({ ...key, synced: false, addedAt: 0 }, account)
  const identity = { issuer: 'issuer', identity: 'a1', subject: DANA.id, shownAs: '', addedAt: 0 }
  await ways.identities.add(identity, account)
}

/** Its cookies have no epoch. It accepts those of this release by the mark of the password. */
function asOfThePreviousRelease(cookie: string): string {
  const keys = hmacKeys(SECRET, 'session')
  const Claims = z.object({ sub: z.string(), password: z.string() })
  const claims = verifyValue(keys, cookie.slice(COOKIE.length + 1), Claims, 60)
  if (claims === undefined) throw new Error('The cookie has another format')
  return `${COOKIE}=${signValue(keys, { ...claims, jti: randomUUID() }, 12 * 60 * 60)}`
}
