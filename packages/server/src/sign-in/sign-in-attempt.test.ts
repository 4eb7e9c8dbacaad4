import { expect, it, onTestFinished, vi } from 'vitest'
import { DANA } from '../../test/people.ts'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import { passwordChecks } from '../accounts/passwords.ts'
import { countersInMemory } from '../limits/counters.ts'
import { guessLimits } from '../limits/guess-limits.ts'
import { signInLimits } from '../limits/rate-limiter.ts'
import { knownBrowsers } from './known-browsers.ts'
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
    idOf: async (email: string) => (email === ACCOUNT.email ? ACCOUNT.id : undefined),
    find: async () => ACCOUNT,
  } as Partial<Accounts> as Accounts
  const server = { secret: 'a secret of the tests, long enough', baseUrl: 'https://server.example' }
  const options = {
    accounts,
    limits: signInLimits(countersInMemory),
    guesses: guessLimits(countersInMemory),
    browsers: knownBrowsers({ ...server, accounts }),
    checks: passwordChecks(),
  }
  return {
    checked: () => checked,
    check: gate.resolve,
    /** The cookies of a browser in which the user has signed in. */
    remember: () =>
      options.browsers
        .remember(ACCOUNT, undefined)
        .map((line) => line.split(';')[0])
        .join(),
    password: (address: string, password: string, email = DANA.email, more = {}) =>
      attemptPassword(options, { address, email, password, ...more }),
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
  const own = [password(HERE, 'right'), password(HERE, 'right', ACCOUNT.email, { holder: ACCOUNT.id })]
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

it('nine guesses at one account from each of 200 networks are twenty, and the first networks are not at their limit', async () => {
  const { password, checked } = openSignIn()
  for (let n = 0; n < 1800; n++) await password(`10.0.${n % 200}.1`, 'wrong')
  expect(checked()).toBe(20)
  const other = await password('10.0.0.1', 'right', 'other@example.com')
  expect(outcomeOf(other)).toBe('in')
})

it('one password at 10,000 addresses from one network is 120 tries in a minute', async () => {
  const { password, checked } = openSignIn()
  for (let n = 0; n < 10_000; n++) await password(HERE, 'wrong', `${n}@example.com`)
  expect(checked()).toBe(120)
})

it('a try that has to wait for the guesses of others is none of its network', async () => {
  const { password } = openSignIn()
  for (let n = 0; n < 20; n++) await password(`10.0.${n}.1`, 'wrong')
  for (let n = 0; n < 30; n++) expect(outcomeOf(await password(HERE, 'wrong'))).toBe('wait')
  const waits = await password(HERE, 'right')
  expect(waits, 'the wait for guesses, not that of the network').toEqual({ wait: expect.closeTo(60, -1) })
})

it('a known browser has a limit of its own, in a network at its limit too', async () => {
  const { password, remember } = openSignIn()
  for (let n = 0; n < 30; n++) await password(HERE, 'wrong')
  for (let n = 0; n < 20; n++) await password(`10.0.${n}.1`, 'wrong')
  const [cookies, others] = [remember(), remember()]
  const tried = async (word: string, from = cookies) =>
    outcomeOf(await password(HERE, word, ACCOUNT.email, { cookies: from }))
  expect(await tried('right')).toBe('in')
  for (let n = 0; n < 10; n++) expect(await tried('wrong')).toBe('wrong')
  expect([await tried('right'), await tried('right', others)]).toEqual(['wait', 'in'])
})

it('a right password in a known browser leaves the others waiting, and one in another browser does not', async () => {
  const { password, remember } = openSignIn()
  for (let n = 0; n < 20; n++) await password(`10.0.${n}.1`, 'wrong')
  await password(HERE, 'right', ACCOUNT.email, { cookies: remember() })
  expect(outcomeOf(await password(THERE, 'right'))).toBe('wait')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  onTestFinished(() => void vi.useRealTimers())
  const outcomes = [
    await password(THERE, 'right'),
    await password(HERE, 'wrong'),
    await password(HERE, 'right'),
  ]
  expect(outcomes.map(outcomeOf)).toEqual(['in', 'wrong', 'in'])
})

it('a right password that may be refused all the same counts as a try, and resets nothing', async () => {
  const { password } = openSignIn()
  for (let n = 0; n < 9; n++) await password(HERE, 'wrong')
  const outcomes = [
    await password(HERE, 'right', ACCOUNT.email, { keepsCount: true }),
    await password(HERE, 'right'),
  ]
  expect(outcomes.map(outcomeOf)).toEqual(['in', 'wait'])
})

it('an address without an account waits as one with an account does', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { password } = openSignIn()
  const attempts = async (email?: string) => {
    const seen: Attempt[] = []
    for (let n = 0; n < 1000; n++) seen.push(await password(`10.${n % 2}.${n % 250}.1`, 'wrong', email))
    return seen.map((attempt) => ('wait' in attempt ? attempt.wait : attempt))
  }
  const ofAccount = await attempts()
  expect(ofAccount.slice(18, 22)).toEqual([
    { account: undefined, slowed: false },
    { account: undefined, slowed: true },
    ...[60, 60],
  ])
  expect(await attempts('nobody@example.com')).toEqual(ofAccount)
})
