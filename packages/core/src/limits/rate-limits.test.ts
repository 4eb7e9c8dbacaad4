import { expect, it } from 'vitest'
import { type LimitOptions, limiterOf } from './rate-limits.ts'

const LIMITS = {
  guess: { points: 1, seconds: 60, withoutLimiter: true },
  failure: { points: 1, seconds: 60 },
} as const

function open(options: LimitOptions = {}) {
  const events: unknown[] = []
  const emit = (event: unknown) => void events.push(event)
  return { limiter: limiterOf(options, { emit, now: () => 0 }, () => LIMITS), events }
}

it('without a limiter of the application, only limits that say so are counted, and can be refunded', async () => {
  const { limiter } = open()
  await limiter.refund('guess', 'ada')
  const waits = []
  for (let n = 0; n < 2; n++)
    waits.push([await limiter.take('guess', 'ada'), await limiter.take('failure', 'ada')])
  expect(waits).toEqual([
    [0, 0],
    [60, 0],
  ])
  await limiter.refund('guess', 'ada')
  await limiter.refund('guess', 'ada')
  expect(await limiter.take('guess', 'ada')).toBe(0)
})

it('a limiter of the application may refund nothing', async () => {
  const { limiter, events } = open({ rateLimiter: { take: async () => 0 } })
  await limiter.refund('guess', 'ada')
  expect(events).toEqual([])
})

it('a refund that fails is reported', async () => {
  const cause = new Error('down')
  const { limiter, events } = open({
    rateLimiter: { take: async () => 0, refund: () => Promise.reject(cause) },
  })
  await limiter.refund('guess', 'ada')
  expect(events).toEqual([{ type: 'limiter_failed', limit: 'guess', cause }])
})

it('a limit that no feature declares is a fault of the program', async () => {
  await expect(open().limiter.take('unknown', 'ada')).rejects.toThrow('unknown')
})
