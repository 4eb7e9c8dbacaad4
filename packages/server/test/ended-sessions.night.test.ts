import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onEachDatabase } from '@grantkit/test-servers/on-each-database'
import { expect, it, onTestFinished } from 'vitest'
import { accountRows } from '../src/accounts/account-rows.ts'
import type { Database } from '../src/database/database.ts'
import { sessionsOfBrowsers } from '../src/sign-in/session.ts'
import type { Call } from './account-process.ts'
import { connected, withoutAccounts } from './connected.ts'
import { DANA, THEO } from './people.ts'

/** What ends all sessions of an account, on every replica and for good. */

const SECRET = 'a secret of the tests, long enough'
const BASE_URL = 'https://server.example'

onEachDatabase((newDatabase) => {
  async function open() {
    const { url, database } = await withoutAccounts(newDatabase)
    const replica = (on: Database) => {
      const accounts = accountRows(on, () => {})
      return {
        accounts,
        sessions: sessionsOfBrowsers({
          secret: SECRET,
          baseUrl: BASE_URL,
          accounts,
          demandPasskey: async () => false,
        }),
      }
    }
    const here = replica(database)
    for (const account of [DANA, THEO]) await here.accounts.add(account)
    return { ...here, url, replicas: [here, replica(await connected(url))] }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  async function cookieOf({ accounts, sessions }: Opened, id = DANA.id) {
    const account = await accounts.find(id)
    if (account === undefined) throw new Error(`${id} has no account`)
    return (await sessions.start(account, undefined)).cookie.split(';')[0] ?? ''
  }

  it.each<[string, (opened: Opened) => Promise<unknown>, isAdmin?: boolean]>([
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
    ['becomes an admin', ({ accounts }) => accounts.setAdmin(DANA.id, true)],
    ['is no admin any more', ({ accounts }) => accounts.setAdmin(DANA.id, false), true],
    ['is removed', ({ accounts }) => accounts.remove(DANA.id)],
  ])('an account that %s keeps no session, on no replica', async (_, change, isAdmin = false) => {
    const opened = await open()
    await opened.accounts.setAdmin(DANA.id, isAdmin)
    const cookies = [await cookieOf(opened), await cookieOf(opened)]
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

  it('an account that another process disables and enables is that here at the next read', async () => {
    const { accounts: here, url } = await open()
    const there = await otherProcess(url)
    const { sessionEpoch = 0 } = (await here.find(DANA.id)) ?? {}
    // Both have read the account before it changes.
    for (let n = 0; n < 3; n++) {
      expect(await here.claims(DANA.id)).toMatchObject({ name: DANA.name })
      expect(await here.find(DANA.id)).toMatchObject({ sessionEpoch })
      expect(await there('claims', DANA.id)).toMatchObject({ name: DANA.name })
    }
    for (let n = 0; n < 5; n++) {
      await there('setDisabled', DANA.id, true)
      expect([await here.claims(DANA.id), await here.find(DANA.id)]).toEqual([undefined, undefined])
      await there('setDisabled', DANA.id, false)
      expect(await here.claims(DANA.id)).toMatchObject({ name: DANA.name })
      expect(await here.find(DANA.id)).toMatchObject({ sessionEpoch: sessionEpoch + n + 1 })
    }
  })
})

async function resultOf(process: ChildProcess): Promise<unknown> {
  const [{ result }] = (await once(process, 'message')) as [{ result: unknown }]
  return result
}

async function otherProcess(url: string) {
  const process = fork(join(import.meta.dirname, 'account-process.ts'), [url])
  onTestFinished(() => {
    process.disconnect()
  })
  await resultOf(process)
  return (...call: Call) => {
    process.send(call)
    return resultOf(process)
  }
}
