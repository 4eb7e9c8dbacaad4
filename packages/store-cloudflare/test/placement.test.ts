import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { positionIn } from '../src/placement.ts'

it('a key stays in its object in all releases', () => {
  const keys = ['', 'my-app', 'kV5-8pD_ZVYGlGRZrGQluH', '=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU']
  expect(keys.map((key) => positionIn(64, key))).toEqual([11, 35, 39, 47])
  expect(keys.map((key) => positionIn(4096, key))).toEqual([3083, 2339, 2791, 495])
})

it.each([
  ['random keys', () => randomBytes(16).toString('base64url')],
  ['numbered keys', (at: number) => `client-${at}`],
])('%s are spread over the objects', (_, keyOf) => {
  const counts = Array.from({ length: 64 }, () => 0)
  for (let at = 0; at < 16_000; at++) {
    const position = positionIn(64, keyOf(at))
    counts[position] = (counts[position] ?? 0) + 1
  }
  // Six standard deviations around 250.
  expect(Math.min(...counts)).toBeGreaterThan(155)
  expect(Math.max(...counts)).toBeLessThan(345)
})
