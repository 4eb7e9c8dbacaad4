import { describe, expect, it } from 'vitest'
import { hashPassword, newPasswordProblem, passwordChecks, passwordMatches } from './passwords.ts'

describe('a password', () => {
  it('is hashed differently each time', async () => {
    const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
    expect(first).not.toBe(second)
    expect(first).toMatch(/^scrypt\$32768\$8\$1\$/)
  })

  it.each([
    ['longer by a NUL', 'same\0', false],
    ['longer by NULs up to the block of the hash', 'same'.padEnd(64, '\0'), false],
    ['longer by a tab', 'same\t', false],
    ['in other letters of the same form', 's\uff41me', true],
  ])('%s: %j', async (_, presented, matches) => {
    expect(await passwordMatches(presented, await hashPassword('same'))).toBe(matches)
  })

  it.each(['same\0', 'sa\nme', 'same\x7f', '\u0085'])('cannot be set to %j', async (password) => {
    await expect(hashPassword(password)).rejects.toThrow('control characters')
  })
})

it.each([
  ['1234567', 'at least 8'],
  ['12345678', undefined],
  ['🦊'.repeat(7), 'at least 8'],
  // One character each, as they are hashed.
  ['e\u0301'.repeat(7), 'at least 8'],
  ['x'.repeat(1000), undefined],
  ['x'.repeat(1001), 'at most 1000'],
  ['12345678\0', 'control characters'],
  // One character that is hashed as 18.
  ['\ufdfa', undefined],
])('a new password %j is refused for: %s', (password, problem) => {
  if (problem === undefined) expect(newPasswordProblem(password)).toBeUndefined()
  else expect(newPasswordProblem(password)).toContain(problem)
})

const REFUSED = 'no place'

/** A queue whose checks end when the test says so. */
function openQueue() {
  const checks = passwordChecks()
  const running: (() => void)[] = []
  const started: string[] = []
  const outcomes: string[] = []
  return {
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
