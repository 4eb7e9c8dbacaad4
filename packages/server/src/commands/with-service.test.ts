import { expect, it } from 'vitest'
import { memoryAccounts } from '../../test/memory-accounts.ts'
import { type AccountEntry, accountDirectory } from '../accounts/account-directory.ts'
import { emailSourceOf, namedAccount, trustedAccount } from './with-service.ts'

/** Which account a command means by an address. */

const ISSUER = 'https://partner.example'
const { database, accounts } = await memoryAccounts()
const directory = accountDirectory(database)
const rest = { email_verified: true, name: 'A', updated_at: 0, password: '' }
await accounts.add({ id: 'ada', email: 'ada@notes.example', ...rest })
const signUp = { by: 'sign_up', emailSource: ISSUER } as const
await accounts.add({ id: 'bo', email: 'bo@notes.example', ...rest }, signUp)
await accounts.add({ id: 'cy', ...rest, email_verified: false }, signUp)

it.each([
  ['ada@notes.example', 'ada'],
  ['bo@notes.example', 'bo'],
  ['bo', 'bo'],
  ['cy', 'cy'],
])('a command finds %s', async (named, id) => {
  expect((await namedAccount(directory, named)).id).toBe(id)
})

it.each([
  ['Ada@notes.example', 'ada'],
  ['ada', 'ada'],
  ['bo', 'bo'],
  ['cy', 'cy'],
])('a command that lets a user do more takes %s', async (named, id) => {
  expect((await trustedAccount(directory, named)).id).toBe(id)
})

it('a command that gives a user more rights rejects an address that a provider verified, and names the provider', async () => {
  const refused = trustedAccount(directory, 'bo@notes.example')
  await expect(refused).rejects.toThrow(`verified by ${ISSUER}`)
  await expect(refused).rejects.toThrow('by its id: bo')
})

it('a command names who verified an address, without a time if none was recorded', () => {
  const account = { id: 'di', email: 'di@notes.example', emailSource: 'application' } as AccountEntry
  expect(emailSourceOf(account)).toBe('di@notes.example was verified by application')
  expect(emailSourceOf({ ...account, emailSince: '2026-11-28T23:00:00Z' })).toBe(
    'di@notes.example was verified by application on 2026-11-28',
  )
})

it('a command says that no account has an address', async () => {
  await expect(namedAccount(directory, 'nobody@notes.example')).rejects.toThrow('has no account')
})
