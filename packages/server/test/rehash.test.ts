import { quickHash } from '@grantkit/test-servers/quick-hash'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountRows, accountsThatRehash } from '../src/accounts/account-rows.ts'
import { hashPassword } from '../src/accounts/password-hashes.ts'
import { passwordChecks } from '../src/accounts/passwords.ts'
import { newUser } from './people.ts'
import { type RunningServer, runServer } from './running-server.ts'

/** The hash of a password gets the current kind and cost at a sign-in. */

let server: RunningServer
beforeAll(async () => {
  server = await runServer()
})
afterAll(() => server.close())

const OLD = 'an old password'

const passwordOf = async (id: string) => (await server.accounts.find(id))?.password
const signIn = (email: string, password = OLD) => sessionCookie(server.baseUrl, email, password)
const isSignedIn = async (cookie: string) => {
  const { status } = await fetch(`${server.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
  return status === 200
}
const rehashed = (subject: string) =>
  server.events.filter((event) => event.type === 'password_rehashed' && event.subject === subject)

it('a right password gets a hash of the current kind, once, and every session goes on', async () => {
  const { id, email } = await newUser(server, OLD)
  const cookies = [await signIn(email), await signIn(email)]
  await server.settled()
  const hash = await passwordOf(id)
  expect(hash).toMatch(/^\$argon2id\$/)
  cookies.push(await signIn(email))
  await server.settled()
  expect([await passwordOf(id), rehashed(id).length]).toEqual([hash, 1])
  expect(await Promise.all(cookies.map(isSignedIn))).toEqual([true, true, true])
})

it('a wrong password changes nothing', async () => {
  const { id, email } = await newUser(server, OLD)
  await signIn(email, 'a guess')
  await server.settled()
  expect([await passwordOf(id), rehashed(id)]).toEqual([quickHash(OLD), []])
})

it('a form that was opened with the old hash still changes the password', async () => {
  const { id, email } = await newUser(server, OLD)
  const cookie = await signIn(email)
  const account = await server.accounts.find(id)
  await server.settled()
  expect(await passwordOf(id)).not.toBe(account?.password)
  const changed = account && (await server.accounts.changePassword(account, quickHash('another one'), 'user'))
  expect([changed?.password, await isSignedIn(cookie)]).toEqual([quickHash('another one'), false])
})

it('a password that was changed meanwhile stays', async () => {
  const { id } = await newUser(server, OLD)
  const account = await server.accounts.find(id)
  await server.accounts.setPassword(id, quickHash('another one'))
  const replaced = account && (await server.accounts.replaceHash(account, await hashPassword(OLD)))
  expect([replaced, await passwordOf(id)]).toEqual([false, quickHash('another one')])
})

it('a failure refuses nobody', async () => {
  const { id, email } = await newUser(server, OLD)
  const errors: unknown[] = []
  const checks = passwordChecks()
  const rows = accountRows(server.database, () => {})
  const down = { ...rows, replaceHash: () => Promise.reject(new Error('down')) }
  const accounts = accountsThatRehash(down, { checks, kept: [], onError: (error) => void errors.push(error) })
  expect(await accounts.verify(email, OLD)).toMatchObject({ id })
  await checks.idle()
  expect([errors, await passwordOf(id)]).toEqual([[new Error('down')], quickHash(OLD)])
})

it('the hash of a demo account stays: it says that everybody knows the password', async () => {
  const { id, email } = await newUser(server, OLD)
  const rows = accountRows(server.database, () => {})
  const checks = passwordChecks()
  const rehashing = { checks, kept: [quickHash(OLD)], onError: () => {} }
  expect(await accountsThatRehash(rows, rehashing).verify(email, OLD)).toMatchObject({ id })
  await checks.idle()
  expect(await passwordOf(id)).toBe(quickHash(OLD))
})
