import { expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { passwordChecks, passwordRules } from './passwords.ts'

const SERVICE = { baseUrl: 'https://login.acme-corp.example', brand: { name: 'Acme Notes' } }
const rules = (passwordMinLength = 8) => passwordRules({ ...parseConfig({}), ...SERVICE, passwordMinLength })
const ADA = { email: 'ada.lovelace@mail.example', name: 'Ada Countess-Lovelace' }

it.each([
  ['1234567', 'at least 8'],
  ['tr0ub4dor', undefined],
  ['🦊'.repeat(7), 'at least 8'],
  // One character each, as they are hashed.
  ['e\u0301'.repeat(7), 'at least 8'],
  [`${'x'.repeat(999)}!`, undefined],
  ['x'.repeat(1001), 'at most 1000'],
  ['tr0ub4dor\0', 'control characters'],
  // One character that is hashed as 18.
  ['\ufdfa', undefined],
  ['password1', 'most common'],
  ['PassWord1', 'most common'],
  ['\uff30assword1', 'most common'],
  ['password1, and more', undefined],
  ['acme notes', 'name of this service'],
  ['ACME-Corp', 'name of this service'],
  ['Login.Acme-Corp.Example', 'name of this service'],
  ['ada.lovelace', 'your e-mail address'],
  ['Ada.Lovelace@mail.example', 'your e-mail address'],
  ['countess-lovelace', 'your name'],
  ['ada countess-lovelace and more', undefined],
])('a new password %j is refused for: %s', async (password, problem) => {
  const broken = await rules().broken(password, ADA)
  if (problem === undefined) expect(broken).toBeUndefined()
  else expect(broken?.words).toContain(problem)
})

it('a new password has the configured length', async () => {
  const { minLength, broken } = rules(15)
  expect([minLength, await broken('tr0ub4dor and 3', ADA)]).toEqual([15, undefined])
  expect(await broken('tr0ub4dor and ', ADA)).toMatchObject({ rule: 'tooShort', count: 15 })
})

const REFUSED = 'no place'

/** A queue whose checks end when the test says so. */
function openQueue() {
  const checks = passwordChecks()
  const running: (() => void)[] = []
  const started: string[] = []
  const outcomes: string[] = []
  return {
    checks,
    started,
    outcomes,
    add(holder: string, count = 1) {
      for (let n = 0; n < count; n++)
        void checks
          .inTurn(holder, async () => {
            started.push(holder)
            await new Promise<void>((resolve) => running.push(resolve))
            return holder
          })
          .then((outcome) => outcomes.push(outcome ?? `${REFUSED} for ${holder}`))
    },
    /** Ends so many checks, one after another. */
    async end(count: number) {
      for (let n = 0; n < count; n++) {
        await nextTask()
        running.shift()?.()
        await nextTask()
      }
    },
  }
}

const nextTask = () => new Promise((resolve) => setImmediate(resolve))

it('two passwords are checked at a time, and fifty wait before the next one is rejected', async () => {
  const { add, end, started, outcomes } = openQueue()
  for (let n = 0; n < 53; n++) add(`network ${n}`)
  await nextTask()
  expect([started.length, outcomes]).toEqual([2, [`${REFUSED} for network 52`]])
  await end(1)
  expect(started).toEqual(['network 0', 'network 1', 'network 2'])
  add('network 53')
  await end(52)
  expect(started).toHaveLength(53)
  expect(outcomes).toHaveLength(54)
})

it('a network takes at most forty of the places', async () => {
  const { add, outcomes } = openQueue()
  add('flood', 56)
  await nextTask()
  expect(outcomes).toEqual(Array(14).fill(`${REFUSED} for flood`))
})

it('a full queue takes the newest place of the network with the most, for one that has fewer', async () => {
  const { add, end, started, outcomes } = openQueue()
  add('flood', 42)
  add('other', 10)
  add('school')
  await nextTask()
  expect(outcomes).toEqual([`${REFUSED} for flood`])
  add('other', 60)
  await end(200)
  const count = (of: string) => started.filter((holder) => holder === of).length
  expect([count('flood'), count('other'), count('school')]).toEqual([2 + 25, 24, 1])
})

it('networks have turns one after another, so nobody waits for the whole flood of another', async () => {
  const { add, end, started } = openQueue()
  add('flood', 30)
  add('school', 2)
  await end(4)
  expect(started.slice(2)).toEqual(['flood', 'school', 'flood', 'school'])
})

it('a check that fails gives its turn to the next one', async () => {
  const checks = passwordChecks()
  const fail = () => Promise.reject(new Error('down'))
  const failures = [0, 1, 2, 3].map(() => checks.inTurn('here', fail).catch((error: Error) => error.message))
  expect(await Promise.all(failures)).toEqual(Array(4).fill('down'))
  expect(await checks.inTurn('here', async () => 'checked')).toBe('checked')
})

it('a queue is idle once no check runs or waits', async () => {
  const { add, end, checks } = openQueue()
  await checks.idle()
  add('network', 3)
  let isIdle = false
  void checks.idle().then(() => {
    isIdle = true
  })
  await end(2)
  expect(isIdle).toBe(false)
  await end(1)
  expect(isIdle).toBe(true)
})
