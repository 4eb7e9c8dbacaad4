import { expect, it } from 'vitest'
import type { Measurement } from './measurement.ts'
import { rateOf, shareOf, shareOfYardstick } from './shares.ts'

it('a share is the median of the rounds, each beside its neighbour', () => {
  const { median, spread } = shareOf(measured('fastify', 'bare-fastify', [50, 30, 10], [100, 50, 20]))
  expect([median, spread]).toEqual([0.5, expect.closeTo(0.2)])
})

it('a target on another framework is compared by the share of that framework', () => {
  const hono = measured('hono', 'bare-hono', [40], [80])
  const all = [hono, measured('bare-hono', 'bare-fastify', [90], [100])]
  expect(shareOfYardstick(all, hono)).toBeCloseTo(0.45)
})

it('has no share of bare Fastify while its own framework has none', () => {
  const hono = measured('hono', 'bare-hono', [40], [80])
  expect(shareOfYardstick([hono], hono)).toBeUndefined()
})

it('rates of different minutes become rates of one machine', () => {
  const calm = measured('fastify', 'bare-fastify', [50, 50, 50], [100, 100, 100])
  const slow = measured('oidc-provider', 'bare-fastify', [5], [50])
  expect(rateOf([calm, slow], calm)).toBe(50)
  expect(rateOf([calm, slow], slow)).toBe(10)
})

it('a rate without bare Fastify beside it stays as it was measured', () => {
  const hono = measured('hono', 'bare-hono', [40], [80])
  expect(rateOf([hono], hono)).toBe(40)
})

function measured(target: string, against: string, rounds: number[], bareRounds: number[]): Measurement {
  const requestsPerSecond = rounds[0] ?? 0
  return { target, against, work: 'code', rounds, bareRounds, requestsPerSecond } as unknown as Measurement
}
