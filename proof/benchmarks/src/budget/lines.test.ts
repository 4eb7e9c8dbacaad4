import type { Profiler } from 'node:inspector'
import { expect, it } from 'vitest'
import { sharesOf } from './lines.ts'

/** Each frame calls the next; a sample for each, of one microsecond. */
function profileOf(...frames: readonly (readonly [name: string, url: string])[]): Profiler.Profile {
  const nodes = frames.map(([functionName, url], index) => ({
    id: index + 1,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
    children: index + 1 < frames.length ? [index + 2] : [],
  }))
  const samples = nodes.map(({ id }) => id)
  return { nodes, samples, timeDeltas: samples.map(() => 1), startTime: 0, endTime: samples.length }
}

it('a native function belongs to the innermost caller that a rule knows', () => {
  const shares = sharesOf(
    profileOf(
      ['exchange', 'file:///packages/core/src/grants/refresh-token.ts'],
      ['sha256', 'file:///packages/core/src/kernel/secrets.ts'],
      ['hash', 'node:internal/crypto/hash'],
      ['oneShotDigest', ''],
    ),
  )
  expect(shares).toMatchObject({ rules: 0.25, 'hash and derive': 0.75, other: 0 })
})

it('the measurement is no part of a call, and what no rule knows is other', () => {
  const shares = sharesOf(
    profileOf(
      ['make', 'file:///proof/benchmarks/src/budget/process.ts'],
      ['(garbage collector)', ''],
      ['post', 'node:inspector'],
    ),
  )
  expect(shares).toMatchObject({ garbage: 1 })
  expect(sharesOf(profileOf(['(program)', '']))).toMatchObject({ other: 1 })
})
