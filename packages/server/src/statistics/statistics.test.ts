import { expect, it } from 'vitest'
import { bucketOf, DURATION_BUCKETS, newCounts, quantile } from './statistics.ts'

it('adds up by name, label and bucket, and starts again after each time it was taken', () => {
  const counts = newCounts()
  counts.add('event', 'code_redeemed')
  counts.add('event', 'code_redeemed')
  counts.add('response', 'GET /login', 7)
  expect(counts.take()).toEqual([
    { name: 'event', label: 'code_redeemed', bucket: 0, count: 2 },
    { name: 'response', label: 'GET /login', bucket: 7, count: 1 },
  ])
  expect(counts.take()).toEqual([])
})

it('counts more labels than it has space for as others', () => {
  const counts = newCounts()
  for (let n = 0; n < 600; n++) counts.add('reason', `reason_${n}`)
  const taken = counts.take()
  expect(taken.length).toBe(501)
  expect(taken.at(-1)).toMatchObject({ label: 'other', count: 100 })
})

it.each([
  [0, 0],
  [0.001, 0],
  [0.0011, 1],
  [2.5, 10],
  [60, 11],
])('a response of %d seconds is in bucket %d', (seconds, bucket) => {
  expect(bucketOf(seconds)).toBe(bucket)
})

/** Counts with these buckets filled. */
const counts = (filled: Record<number, number>) => DURATION_BUCKETS.map((_, index) => filled[index] ?? 0)

it.each([
  ['no responses', [], 0.99, undefined],
  ['all in one bucket', counts({ 3: 100 }), 0.5, 0.0075],
  ['the slowest hundredth in another bucket', counts({ 3: 98, 6: 2 }), 0.99, 0.075],
  ['exactly the share in the fast bucket', counts({ 3: 99, 6: 1 }), 0.99, 0.01],
  ['the slowest beyond the last bucket', [...counts({ 0: 1 }), 99], 0.99, 2.5],
])('estimates a quantile of %s', (_, given, share, seconds) => {
  expect(quantile(given, share)).toEqual(seconds === undefined ? undefined : expect.closeTo(seconds, 6))
})
