import { RateLimiterMemory } from 'rate-limiter-flexible'
import { expect, it } from 'vitest'
import type { Room } from './counters.ts'
import { sharedCounters } from './shared-counters.ts'

const ROOM: Room = { points: 3, duration: 60 }

/** A place that answers, fails or is silent, as the test says. */
function place() {
  let broken: (() => Promise<never>) | undefined
  let asked = 0
  const failures: unknown[] = []
  class Limiter extends RateLimiterMemory {
    override async consume(key: string) {
      asked++
      return broken === undefined ? super.consume(key) : broken()
    }
  }
  return {
    createCounter: sharedCounters(
      (keyPrefix, room) => new Limiter({ keyPrefix, ...room }),
      (error) => failures.push(error),
    ),
    failures,
    asked: () => asked,
    breakWith: (failure: () => Promise<never>) => {
      broken = failure
    },
  }
}

it.each([
  ['fails', () => Promise.reject(new Error('gone'))],
  ['is silent', () => new Promise<never>(() => {})],
])('allows as much as a process alone, and no more, while the shared place %s', async (_, failure) => {
  const { createCounter, breakWith, asked, failures } = place()
  const counter = createCounter('guesses', ROOM)
  for (let n = 0; n < 3; n++) await counter.take('ada')
  expect(await counter.take('ada')).toBeGreaterThan(0)
  breakWith(failure)
  const waits: number[] = []
  for (let n = 0; n < 5; n++) waits.push(await counter.take('ada'))
  expect(waits.map((wait) => wait > 0)).toEqual([false, false, false, true, true])
  expect(failures, 'one report').toHaveLength(1)
  expect(asked(), 'after a failure it is left in peace').toBe(5)
})

it('forgets in both places', async () => {
  const { createCounter, breakWith } = place()
  const counter = createCounter('guesses', ROOM)
  for (let n = 0; n < 4; n++) await counter.take('ada')
  await counter.forget('ada')
  expect(await counter.take('ada')).toBe(0)
  breakWith(() => Promise.reject(new Error('gone')))
  for (let n = 0; n < 4; n++) await counter.take('ada')
  await counter.forget('ada')
  expect(await counter.take('ada')).toBe(0)
})
