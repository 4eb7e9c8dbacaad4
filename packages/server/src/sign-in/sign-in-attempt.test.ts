import { expect, it } from 'vitest'
import { DANA } from '../../test/people.ts'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import { passwordChecks } from '../accounts/passwords.ts'
import { countersInMemory } from '../limits/counters.ts'
import { signInLimits } from '../limits/rate-limiter.ts'
import { type Attempt, attemptPasskey, attemptPassword } from './sign-in-attempt.ts'

const ACCOUNT: StoredAccount = { ...DANA, sessionEpoch: 0, emailSource: 'operator' }
const [HERE, THERE] = ['203.0.113.7', '198.51.100.9']

/** A sign-in whose passwords are all wrong but `right`. They are checked at once, or when the test says so. */
function openSignIn({ held = false } = {}) {
  const gate = Promise.withResolvers<void>()
  if (!held) gate.resolve()
  let checked = 0
  const accounts = {
    async verify(_email: string, password: string) {
      checked++
      await gate.promise
      if (password === 'in an outage') throw new Error('The database is away')
      return password === 'right' ? ACCOUNT : undefined
    },
  } as Accounts
  const options = { accounts, limits: signInLimits(countersInMemory), checks: passwordChecks() }
  return {
    checked: () => checked,
    check: gate.resolve,
    password: (address: string, password: string, email = 'dana@example.com', holder?: string) =>
      attemptPassword(options, address, email, password, holder),
    passkey: (address: string) => attemptPasskey(options, address, 'an id', async () => ACCOUNT),
  }
}

const outcomeOf = (attempt: Attempt) => ('wait' in attempt ? 'wait' : attempt.account ? 'in' : 'wrong')

it('a flood of wrong passwords from one /48 leaves a place to everybody else, also while the queue is full', async () => {
  const { password, check } = openSignIn({ held: true })
  const flood = Array.from({ length: 200 }, (_, n) =>
    password(`2001:db8:1:${n.toString(16)}00::1`, 'wrong', `${n}@example.com`),
  )
  await new Promise(setImmediate)
  const others = [password(HERE, 'right'), password('2001:db8:2::1', 'right')]
  check()
  expect((await Promise.all(others)).map(outcomeOf)).toEqual(['in', 'in'])
  const outcomes = (await Promise.all(flood)).map(outcomeOf)
  expect(outcomes.filter((outcome) => outcome === 'wrong').length).toBeLessThanOrEqual(42)
})

it('a user who is signed in has a place of the own account, in the network of a flood too', async () => {
  const { password, check } = openSignIn({ held: true })
  const flood = Array.from({ length: 100 }, (_, n) => password(HERE, 'wrong', `${n}@example.com`))
  await new Promise(setImmediate)
  const own = [password(HERE, 'right'), password(HERE, 'right', ACCOUNT.email, ACCOUNT.id)]
  check()
  expect((await Promise.all(own)).map(outcomeOf)).toEqual(['wait', 'in'])
  await Promise.all(flood)
})

it('an attempt without a place in the queue counts for nobody, and is not checked', async () => {
  const { password, check, checked } = openSignIn({ held: true })
  const attempts = Array.from({ length: 110 }, (_, n) => password(HERE, 'wrong', `${n}@example.com`))
  await new Promise(setImmediate)
  check()
  const waits = (await Promise.all(attempts)).filter((attempt) => outcomeOf(attempt) === 'wait')
  expect([waits.length, checked()]).toEqual([68, 42])
  expect(waits[0]).toEqual({ wait: 5 })
  for (let n = 0; n < 70; n++) await password(HERE, 'wrong', `later-${n}@example.com`)
  expect(outcomeOf(await password(HERE, 'right'))).toBe('in')
})

it('a passkey signs in where the network has used up its wrong passwords', async () => {
  const { password, passkey } = openSignIn()
  for (let n = 0; n < 120; n++) await password(HERE, 'wrong', `${n}@example.com`)
  const outcomes = [await password(HERE, 'right'), await passkey(HERE), await password(THERE, 'right')]
  expect(outcomes.map(outcomeOf)).toEqual(['wait', 'in', 'in'])
})

it('a passkey earns its network no further wrong passwords', async () => {
  const { password, passkey } = openSignIn()
  const outcomes: string[] = []
  for (let n = 0; n < 130; n++) {
    outcomes.push(outcomeOf(await password(HERE, 'wrong', `${n}@example.com`)))
    await passkey(HERE)
  }
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(120)
})

it('a check that fails is no wrong password of the account, but one call of the network', async () => {
  const { password, checked } = openSignIn()
  const statuses: string[] = []
  const duringOutage = (email?: string) =>
    password(HERE, 'in an outage', email).then(outcomeOf, () => 'failed')
  for (let n = 0; n < 11; n++) statuses.push(await duringOutage())
  expect(new Set(statuses)).toEqual(new Set(['failed']))
  expect(outcomeOf(await password(HERE, 'right'))).toBe('in')
  const before = checked()
  for (let n = 0; n < 200; n++) await duringOutage(`${n}@example.com`)
  expect(checked() - before).toBe(109)
})
