import { expect, it } from 'vitest'
import { memoryAccounts } from '../../test/memory-accounts.ts'
import { accountDirectory } from '../accounts/account-directory.ts'
import { passkeyRows } from '../accounts/passkeys/passkey-rows.ts'
import { setRoles } from '../accounts/provider-roles.ts'
import { type Consequence, consequenceOf, type PasskeyRule, requiredPasskeys } from './required-passkeys.ts'

const FROM = '2027-01-31'
const [BEFORE, ON_THE_DAY] = ['2027-01-30', FROM]
const PERSON = { isAdmin: false, roles: [] as string[], hasPasskey: false, acr: 'pwd' }
const ADMIN = { ...PERSON, isAdmin: true }
const EDITOR = { ...PERSON, roles: ['editor'] }

it.each<[string, PasskeyRule['who'], typeof PERSON, string, Consequence]>([
  ['an admin before the day', 'admins', ADMIN, BEFORE, 'notice'],
  ['an admin on the day', 'admins', ADMIN, ON_THE_DAY, 'enrol'],
  ['an admin later', 'admins', ADMIN, '2028-01-01', 'enrol'],
  ['an admin with a passkey before the day', 'admins', { ...ADMIN, hasPasskey: true }, BEFORE, 'nothing'],
  ['an admin with a passkey on the day', 'admins', { ...ADMIN, hasPasskey: true }, ON_THE_DAY, 'refused'],
  ['an admin by passkey', 'admins', { ...ADMIN, hasPasskey: true, acr: 'phr' }, ON_THE_DAY, 'nothing'],
  ['an admin by a strong provider', 'admins', { ...ADMIN, acr: 'phr' }, ON_THE_DAY, 'nothing'],
  ['an admin by an unknown class', 'admins', { ...ADMIN, acr: 'gold' }, ON_THE_DAY, 'enrol'],
  ['another user where admins must', 'admins', { ...PERSON, hasPasskey: true }, ON_THE_DAY, 'nothing'],
  ['any user where all must', 'all', PERSON, ON_THE_DAY, 'enrol'],
  ['a user with the role', ['author', 'editor'], EDITOR, ON_THE_DAY, 'enrol'],
  ['a user without the role', ['author'], EDITOR, ON_THE_DAY, 'nothing'],
  ['an admin without the role', ['author'], ADMIN, ON_THE_DAY, 'nothing'],
])('%s', (_name, who, signIn, today, consequence) => {
  expect(consequenceOf({ who, from: FROM }, signIn, today)).toBe(consequence)
})

it('counts the roles that a provider gives', async () => {
  const { database, accounts } = await memoryAccounts()
  await accounts.add({ id: 'ada', name: 'Ada', email_verified: false, updated_at: 0, password: '' })
  const ada = await accounts.find('ada')
  if (ada === undefined) throw new Error('The account was not added')
  const parts = { accounts, directory: accountDirectory(database), passkeys: passkeyRows(database) }
  const required = requiredPasskeys({ ...parts, rule: { who: ['editor'], from: '2020-01-01' } })
  expect([await required.after(ada, 'pwd'), await required.demand(ada, 'pwd')]).toEqual(['nothing', false])
  await setRoles(database, ada.id, { id: 'corp' }, ['editor'])
  expect([await required.after(ada, 'pwd'), await required.demand(ada, 'pwd')]).toEqual(['enrol', true])
  expect(await required.demand(ada, 'phr')).toBe(false)
  await setRoles(database, ada.id, { id: 'corp', rolesFor: -1 }, ['editor'])
  expect((await accounts.claims(ada.id))?.roles, 'lapsed').toBeUndefined()
  expect(await required.demand(ada, 'pwd'), 'also without a sign-in there').toBe(true)
})
