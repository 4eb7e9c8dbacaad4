import { describe, expect, it } from 'vitest'
import type { Measurement } from './measure.ts'
import { estimate, isSteady, rateOf, ratioOf } from './statistics.ts'

describe('an estimate', () => {
  it('is a median', () => {
    expect([[3, 1, 2], [4, 1, 3, 2], [7]].map((values) => estimate(values).median)).toEqual([2, 2.5, 7])
  })

  it('spreads by half of the range of the middle half, whatever a single outlier does', () => {
    expect(estimate([90, 95, 100, 105, 110]).spread).toBeCloseTo(0.05)
    expect(estimate([100, 101, 99, 100, 100, 1, 100]).spread).toBeLessThan(0.01)
  })
})

it('a ratio is taken round by round, so a slow second that hits both halves does not change it', () => {
  expect(ratioOf(measured('fastify', 'bare-fastify', [50, 26, 12], [100, 52, 24]), 'rate').median).toBe(0.5)
})

describe('requests per second', () => {
  it('of different minutes become rates of one machine', () => {
    const calm = measured('fastify', 'bare-fastify', [50, 50, 50], [100, 100, 100])
    const slow = measured('oidc-provider', 'bare-fastify', [5], [50])
    expect(rateOf([calm, slow], slow).median).toBe(10)
  })

  it('on another framework are compared by the share of that framework', () => {
    const hono = measured('hono', 'bare-hono', [40], [80])
    const bare = measured('bare-hono', 'bare-fastify', [90], [100])
    expect(rateOf([hono, bare], hono).median).toBeCloseTo(45)
    expect(rateOf([hono], hono).median).toBe(40)
  })
})

describe('a machine', () => {
  const calm = [100, 101, 102, 103, 104, 105, 106]

  it('is steady when bare Fastify is, within each pair: one that is slower in the next minute changes no ratio', () => {
    const later = calm.map((rate) => rate / 10)
    expect(isSteady([baseline(calm), baseline(later)])).toBe(true)
  })

  it('is unsteady when bare Fastify changes its speed from round to round', () => {
    expect(isSteady([baseline([60, 70, 80, 100, 120, 130, 140])])).toBe(false)
  })
})

function baseline(rates: number[]): Measurement {
  return measured('fastify', 'bare-fastify', rates, rates)
}

function measured(target: string, baseline: string, own: number[], bare: number[]): Measurement {
  const round = (rate: number) => ({ rate, cpu: 0 })
  return {
    target,
    baseline,
    workload: 'code',
    rounds: own.map((rate, index) => [round(rate), round(bare[index] ?? 0)]),
  }
}
