import { expect, test } from 'vitest'
import { Histogram } from './histogram.ts'

test('a histogram gives the quantiles of its values', () => {
  const histogram = of(Array.from({ length: 1000 }, (_, index) => index + 1))
  expect(histogram.quantile(0.5)).toBeCloseTo(500, -1)
  expect(histogram.quantile(0.99)).toBeCloseTo(990, -1)
  expect(histogram.quantile(1)).toBeGreaterThanOrEqual(1000)
})

test('a quantile is never below its value, and at most 0.8 % above it', () => {
  for (const milliseconds of [0, 0.001, 0.255, 0.256, 0.257, 1, 3.333, 99.9, 12_345, 1_000_000]) {
    const found = of([milliseconds]).quantile(0.5)
    expect(found).toBeGreaterThanOrEqual(milliseconds)
    expect(found).toBeLessThanOrEqual(milliseconds * 1.008)
  }
})

test('one slow request of a thousand is the last thousandth', () => {
  const histogram = of([...Array.from({ length: 999 }, () => 1), 500])
  expect(histogram.quantile(0.999)).toBeCloseTo(1, 1)
  expect(histogram.quantile(0.9999)).toBeGreaterThanOrEqual(500)
})

test('the sum of histograms is the histogram of all values', () => {
  const sum = Histogram.sum([of([1, 2, 3]), of([4, 500])])
  expect(sum.counts).toEqual(of([1, 2, 3, 4, 500]).counts)
  expect(sum.count).toBe(5)
})

test('an empty histogram has no quantiles', () => {
  expect(new Histogram().quantile(0.5)).toBeNaN()
})

test('a value beyond the last bucket counts as the largest', () => {
  expect(of([1e12]).quantile(1)).toBeCloseTo((2 ** 31 - 1) / 1000)
})

function of(values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram
}
