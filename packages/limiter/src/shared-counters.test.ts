import type { RateLimitWindow } from '@grantkit/core/feature'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { expect, it } from 'vitest'
import { sharedCounters } from './shared-counters.ts'

const WINDOW: RateLimitWindow = { points: 3, seconds: 60 }

/** A shared store that answers, fails or is silent, as the test says. */
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
  return {
    createCounter: sharedCounters(
      (keyPrefix, { points, seconds }) => new Limiter({ keyPrefix, points, duration: seconds }),
      (error) => failures.push(error),
    ),
    failures,
    requests: () => requests,
    breakWith: (failure: () => Promise<never>) => {
      broken = failure
    },
  }
}

it.each([
  ['fails', () => Promise.reject(new Error('gone'))],
  ['is silent', () => new Promise<never>(() => {})],
])('allows as much as a process alone, and no more, while the shared store %s', async (_, failure) => {
  const { createCounter, breakWith, requests, failures } = sharedStore()
  const counter = createCounter('guesses', WINDOW)
  for (let n = 0; n < 3; n++) await counter.take('ada')
  expect(await counter.take('ada')).toBeGreaterThan(0)
  breakWith(failure)
  const waits: number[] = []
  for (let n = 0; n < 5; n++) waits.push(await counter.take('ada'))
  expect(waits.map((wait) => wait > 0)).toEqual([false, false, false, true, true])
  expect(failures, 'one report').toHaveLength(1)
  expect(requests(), 'after a failure it gets no request').toBe(5)
})

it('resets in the shared store and in memory', async () => {
  const { createCounter, breakWith } = sharedStore()
  const counter = createCounter('guesses', WINDOW)
  for (let n = 0; n < 4; n++) await counter.take('ada')
  await counter.reset('ada')
  expect(await counter.take('ada')).toBe(0)
  breakWith(() => Promise.reject(new Error('gone')))
  for (let n = 0; n < 4; n++) await counter.take('ada')
  await counter.reset('ada')
  expect(await counter.take('ada')).toBe(0)
})
