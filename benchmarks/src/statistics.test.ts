import { describe, expect, it } from 'vitest'
import { median, quantile, ratios, spread } from './statistics.ts'

describe('the median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  it('leaves the values in their order', () => {
    const values = Float64Array.of(3, 1, 2)
    quantile(values, 0.5)
    expect([...values]).toEqual([3, 1, 2])
  })
})

describe('the spread', () => {
  it('is the middle half as a share of the median', () => {
    expect(spread([90, 95, 100, 105, 110])).toBeCloseTo(0.1)
  })

  it('does not grow with a single outlier', () => {
    expect(spread([100, 101, 99, 100, 100, 1, 100])).toBeLessThan(0.02)
  })

  it('does not depend on the unit', () => {
    expect(spread([9, 10, 11, 12])).toBeCloseTo(spread([9000, 10_000, 11_000, 12_000]))
  })
})

describe('ratios', () => {
  it('are taken round by round, so a slow minute that hits both does not change their median', () => {
    const calm = ratios([50, 52, 48], [100, 104, 96])
    const busy = ratios([50, 26, 12], [100, 52, 24])
    expect(median(busy)).toBe(median(calm))
  })
})
