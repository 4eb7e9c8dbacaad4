import { expect, it } from 'vitest'
import type { HttpRequest } from '../http/http.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { LIMIT_ERRORS, type LimitOptions, limiterOf, limitFailures } from './rate-limits.ts'

const { full, wrong } = defineErrors({
  full: ['temporarily_unavailable', 'Too many', 429],
  wrong: ['invalid_client', 'Wrong'],
})

const LIMITS = {
  guess: { points: 1, seconds: 60, withoutLimiter: true },
  failure: { points: 1, seconds: 60 },
  client_failure: { points: 1, seconds: 60 },
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

it('a caller counts for its /64, /56 and /48, and a wider network may have twice as many events as the one in it', async () => {
  const { limiter } = open()
  const passes = (remoteAddress: string) =>
    limiter.limitCaller('guess', { remoteAddress } as HttpRequest, full).then(
      () => true,
      ({ status, retryAfter }) => status === 429 && retryAfter === 60 && false,
    )
  const outcomes = async (...addresses: string[]) => {
    const passed = []
    for (const address of addresses) passed.push(await passes(address))
    return passed
  }
  expect(await outcomes('203.0.113.7', '203.0.113.7', '203.0.113.8')).toEqual([true, false, true])
  const [a, b, c] = ['2001:db8:1:a01::1', '2001:db8:1:a02::1', '2001:db8:1:a03::1']
  expect(await outcomes(a, a, b, c), 'a /56').toEqual([true, false, true, false])
  const [d, e, f] = ['2001:db8:1:b01::1', '2001:db8:1:c01::1', '2001:db8:1:d01::1']
  expect(await outcomes(d, e, f), 'a /48').toEqual([true, true, false])
  const other = '2001:db8:2::1'
  expect(await outcomes(other), 'another /48').toEqual([true])
  await limiter.refundCaller('guess', { remoteAddress: other } as HttpRequest)
  expect(await outcomes(other, other), 'after a refund').toEqual([true, false])
})

it('a request that another limit refuses is no failure of its client, and one above the limit of failures is', async () => {
  const counted: string[] = []
  const { limiter } = open({ rateLimiter: { take: async (limit) => counted.push(limit) && 30 } })
  const reasonOf = async (thrown: OAuthError) =>
    ((await limitFailures(limiter, thrown, {} as HttpRequest, undefined)) as OAuthError).reason
  expect([await reasonOf(new OAuthError(full)), counted.length]).toEqual(['full', 0])
  for (const error of [wrong, LIMIT_ERRORS.too_many_failures])
    expect(await reasonOf(new OAuthError(error))).toBe('too_many_failures')
  expect(counted).toEqual(['client_failure', 'client_failure'])
})

it('a limit that no feature declares is a fault of the program', async () => {
  await expect(open().limiter.take('unknown', 'ada')).rejects.toThrow('unknown')
})
