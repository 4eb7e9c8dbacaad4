import { describe, expect, it } from 'vitest'
import { newId, newSecret, strongRandom } from './secrets.ts'

describe('strong randomness', () => {
  it('never returns the same bytes twice', () => {
    const seen = new Set<string>()
    for (let time = 0; time < 5000; time++) {
      seen.add(newSecret(strongRandom))
      seen.add(newId(strongRandom))
    }
    expect(seen.size).toBe(10_000)
  })

  it.each([1, 16, 32, 1023, 1024, 1025, 100_000])('comes in %i bytes, none of them left empty', (size) => {
    // A byte that is zero in all of these was never filled.
    const draws = Array.from({ length: 8 }, () => strongRandom(size))
    for (const draw of draws) expect(draw).toHaveLength(size)
    const empty = draws.reduce(
      (all, draw) => all.map((byte, index) => byte | (draw[index] ?? 0)),
      new Uint8Array(size),
    )
    expect(empty.includes(0)).toBe(false)
  })

  it('does not change when more is taken', () => {
    const first = strongRandom(32)
    const kept = Buffer.from(first).toString('hex')
    for (let time = 0; time < 1000; time++) strongRandom(64)
    expect(Buffer.from(first).toString('hex')).toBe(kept)
  })
})
