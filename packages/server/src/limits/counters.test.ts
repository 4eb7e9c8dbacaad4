import type { RateLimitWindow } from '@grantkit/core/feature'
import type { Time } from '@grantkit/core/internal'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { expect, it, vi } from 'vitest'
import { sharedCounters } from './counters.ts'

const WINDOW: RateLimitWindow = { points: 3, seconds: 60 }

const FAILURES: [string, () => Promise<never>][] = [
  ['fails', () => Promise.reject(new Error('gone'))],
  ['is silent', () => new Promise<never>(() => {})],
]

/** A shared store that answers, fails or is silent, as the test says, for a process whose time the test moves. */
function sharedStore() {
  let broken: (() => Promise<never>) | undefined
  let requests = 0
  const failures: unknown[] = []
  class Limiter extends RateLimiterMemory {
    override async consume(key: string) {
      requests++
      return broken === undefined ? super.consume(key) : broken()
    }
  }
  const time = movedTime()
  const createCounter = sharedCounters(
    (keyPrefix, { points, seconds }) => new Limiter({ keyPrefix, points, duration: seconds }),
    (error) => failures.push(error),
    time,
  )
  const counter = createCounter('guesses', WINDOW)
  return {
    ...counter,
    /** Whether each attempt was allowed. An attempt may wait for as long as the store has to reply. */
    async attempts(count: number) {
      const allowed: (boolean | 'never answered')[] = []
      for (let n = 0; n < count; n++) {
        const wait = counter.take('ada')
        await time.pass(200)
        allowed.push(await Promise.race([wait.then((seconds) => seconds === 0), unanswered()]))
      }
      return allowed
    },
    time,
    failures,
    requests: () => requests,
    breakWith: (failure?: () => Promise<never>) => {
      broken = failure
    },
  }
}

const nextTask = () => new Promise<void>((resolve) => setImmediate(resolve))

async function unanswered() {
  await nextTask()
  return 'never answered' as const
}

function movedTime() {
  let now = 0
  const timers = new Map<object, { at: number; work: () => void }>()
  return {
    after(milliseconds, work) {
      const id = {}
      timers.set(id, { at: now + milliseconds, work })
      return () => timers.delete(id)
    },
    sleep: () => Promise.reject(new Error('no counter sleeps')),
    timers: () => timers.size,
    async pass(milliseconds: number) {
      await nextTask()
      now += milliseconds
      // A timer that a timer sets for now has its turn after what waits to be read.
      for (let turn = 1; turn <= 2; turn++) {
        for (const [id, { at, work }] of [...timers]) if (at <= now && timers.delete(id)) work()
        await nextTask()
      }
    },
  } satisfies Time & Record<string, unknown>
}

it.each(FAILURES)(
  'allows as much as a process alone, and no more, while the store %s',
  async (_, failure) => {
    const { attempts, breakWith, requests, failures } = sharedStore()
    expect(await attempts(4)).toEqual([true, true, true, false])
    breakWith(failure)
    expect(await attempts(5)).toEqual([true, true, true, false, false])
    expect(failures).toHaveLength(1)
    expect(requests(), 'after a failure it gets no request').toBe(5)
  },
)

it('asks the store again after a second, and reports the next failure after an answer', async () => {
  const { attempts, breakWith, requests, failures, time } = sharedStore()
  const [[, failure]] = FAILURES as [(typeof FAILURES)[0]]
  breakWith(failure)
  expect(await attempts(1)).toEqual([true])
  expect(failures, 'a failure before any answer').toHaveLength(1)
  await time.pass(1000)
  await attempts(1)
  expect([requests(), failures.length], 'one report until it answers').toEqual([2, 1])
  await time.pass(1000)
  breakWith()
  expect(await attempts(4), 'its counts').toEqual([true, true, true, false])
  breakWith(failure)
  await attempts(1)
  expect(failures).toHaveLength(2)
})

it('takes a reply that waits to be read after the process stood still', async () => {
  const { take, breakWith, failures, time } = sharedStore()
  let reply = (_: never) => {}
  breakWith(() => new Promise<never>((resolve) => (reply = resolve)))
  const wait = take('ada')
  await nextTask()
  const passed = time.pass(200)
  await nextTask()
  reply(undefined as never)
  await passed
  expect(await wait).toBe(0)
  expect(failures).toEqual([])
})

it('says how many seconds an attempt must wait, and leaves no timer behind', async () => {
  const { take, attempts, time } = sharedStore()
  await attempts(3)
  expect(await take('ada')).toSatisfy((seconds: number) => seconds > 30 && seconds <= 60)
  expect(time.timers()).toBe(0)
})

it.each([
  ['refunds one attempt', 'refund', [true, false]],
  ['resets', 'reset', [true, true]],
] as const)('%s in the shared store and in memory', async (_, method, allowed) => {
  const store = sharedStore()
  await store.attempts(3)
  await store[method]('ada')
  expect(await store.attempts(2)).toEqual(allowed)
  store.breakWith(() => Promise.reject(new Error('gone')))
  await store.attempts(3)
  await store[method]('ada')
  expect(await store.attempts(2)).toEqual(allowed)
})

it('keeps the events of a key for longer in the shared store and in memory', async () => {
  const store = sharedStore()
  const gone = () => Promise.reject(new Error('gone'))
  for (const failure of [undefined, gone]) {
    store.breakWith(failure)
    expect(await store.extend('bob', 600), 'a key without events').toBe(0)
    await store.attempts(3)
    expect(await store.extend('ada', 600)).toBe(3)
    expect(await store.take('ada')).toBeGreaterThan(590)
  }
})

it('reports a failure on the console if the application wants no report', async () => {
  const console = vi.spyOn(globalThis.console, 'error').mockReturnValue()
  const gone = new Error('gone')
  const counters = sharedCounters(() => {
    const limiter = new RateLimiterMemory({ points: 3, duration: 60 })
    limiter.consume = () => Promise.reject(gone)
    return limiter
  })
  await counters('guesses', WINDOW).take('ada')
  expect(console).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/./), gone)
  console.mockRestore()
})
