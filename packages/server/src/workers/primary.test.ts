import { expect, it } from 'vitest'
import { backOff } from './primary.ts'

it('a worker that ends again and again is replaced ever later, thirty seconds at most', () => {
  const next = backOff(() => 0)
  expect(Array.from({ length: 9 }, next)).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

it('a worker that ends after a quiet minute is replaced as early as the first one', () => {
  let now = 0
  const next = backOff(() => now)
  expect([next(), next(), next()]).toEqual([250, 500, 1000])
  now += 60_001
  expect(next()).toBe(250)
})
