import { expect, it } from 'vitest'
import { memoryAccounts } from '../../test/memory-accounts.ts'
import { accountDirectory } from '../accounts/account-directory.ts'
import { passwordRules } from '../accounts/passwords.ts'
import { actingAs } from '../audit/caller.ts'
import { parseConfig } from '../config/config.ts'
import { countersInMemory } from '../limits/counters.ts'
import { guessLimits } from '../limits/guess-limits.ts'
import { operatorUsers } from './users.ts'

const events: unknown[] = []
const { database, accounts } = await memoryAccounts((event) => void events.push(event))
const directory = accountDirectory(database)
const grants = { revokeAll: async () => 2 }
const parts = {
  ...{ accounts, directory, grants, builtIn: true, passwordRules: passwordRules(parseConfig({})) },
  ...{ enrolments: undefined, guesses: guessLimits(countersInMemory), onEvent: () => {} },
}
const users = operatorUsers(parts)
const ADA = { id: 'ada', email: 'ada@notes.example', email_verified: true, name: 'Ada' }
await users.add(ADA)

it.each(['disable', 'removeAdmin', 'remove'] as const)(
  '%s refuses the own account of the operator, on a page and by a token',
  async (verb) => {
    const refused = actingAs('account:ada', () => users[verb]('ada'))
    await expect(refused).rejects.toMatchObject({ status: 403, reason: 'own_account' })
  },
)

it('another operator disables the account, and is told how many grants ended', async () => {
  expect(await actingAs('client:ops', () => users.disable('ada'))).toBe(2)
  await users.enable('ada')
})

it.each(['find', 'endSessions', 'disable', 'enable', 'addAdmin', 'removeAdmin'] as const)(
  '%s has one error for an unknown user',
  async (verb) => {
    await expect(users[verb]('nobody')).rejects.toMatchObject({ status: 404, reason: 'user_unknown' })
  },
)

it('ends one session of a user for the operator, and none that is unknown or of another user', async () => {
  const ada = await accounts.find('ada')
  if (ada === undefined) throw new Error('no account')
  const now = Math.floor(Date.now() / 1000)
  for (const id of ['one', 'other']) {
    const times = { confirmedAt: now, startedAt: now, usedAt: now, expiresAt: now + 60, authTime: now }
    await accounts.sessions.start(ada, { id, subject: 'ada', epoch: ada.sessionEpoch, ...times })
  }
  events.length = 0
  await users.endSession('ada', 'one')
  expect((await users.sessions('ada')).map(({ id }) => id)).toEqual(['other'])
  expect(events).toEqual([{ type: 'signed_out', subject: 'ada', sessionId: 'one', by: 'operator' }])
  for (const [subject, id] of [
    ['ada', 'one'],
    ['eve', 'other'],
  ] as const)
    await expect(users.endSession(subject, id)).rejects.toMatchObject({
      status: 404,
      reason: 'session_unknown',
    })
  expect(events).toHaveLength(1)
})

it('removes a user of an application, who has no account', async () => {
  expect(await users.remove('elsewhere')).toBe(2)
})

it('adds a user once for an id, and none with the address of another', async () => {
  expect(await users.add(ADA)).toMatchObject({ isNew: false, user: { id: 'ada' } })
  await expect(users.add({ ...ADA, id: 'other' })).rejects.toMatchObject({ reason: 'user_exists' })
})

it('adds nobody and sets no password where an application has the users', async () => {
  const elsewhere = operatorUsers({ ...parts, builtIn: false })
  await expect(elsewhere.add({ ...ADA, id: 'eve' })).rejects.toMatchObject({ reason: 'users_elsewhere' })
  await expect(elsewhere.setPassword('ada', 'a long password')).rejects.toMatchObject({ status: 409 })
})

it('makes no link for a passkey where browsers have none', async () => {
  await expect(users.enrol('ada')).rejects.toMatchObject({ status: 409, reason: 'no_passkeys' })
})

it.each([
  ['short', 'at least 8 characters'],
  ['ada@notes.example', 'your e-mail address'],
  ['iloveyou1', 'most common'],
])('the password %j is neither set nor given to a new user', async (password, problem) => {
  const refused = { status: 400, error: 'invalid_request', message: expect.stringContaining(problem) }
  await expect(users.setPassword('ada', password)).rejects.toMatchObject(refused)
  const bo = { ...ADA, id: 'bo', email: 'bo@notes.example', name: 'ada@notes.example', password }
  await expect(users.add(bo)).rejects.toMatchObject({ status: 400 })
  expect(await directory.find('bo')).toBeUndefined()
})
