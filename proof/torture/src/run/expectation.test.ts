import { describe, expect, test } from 'vitest'
import { type Calibration, UNKNOWN } from '../calibrate/calibration.ts'
import { expectationFor } from './expectation.ts'

const seen = (rotation: Calibration['rotation']): Calibration => ({ ...UNKNOWN, rotation })

describe('what a check expects', () => {
  test('is what the server does in sequence, for a race', () => {
    expect(expectationFor('refresh-twice', seen('overlap'), {}).rotation).toBe('overlap')
  })

  test('is no overlap, for what the server does in sequence, unless it is declared', () => {
    expect(expectationFor('replay-contained', seen('overlap'), {}).rotation).toBe('strict')
    const declared = { rotation: 'overlap', overlapSeconds: 60 } as const
    expect(expectationFor('replay-contained', seen('overlap'), declared)).toMatchObject(declared)
  })

  test('is an answer to a retry, unless strict rotation is declared', () => {
    expect(expectationFor('lost-answer', seen('strict'), {}).rotation).toBe('same-pair')
    expect(expectationFor('lost-answer', seen('strict'), { rotation: 'strict' }).rotation).toBe('strict')
  })

  test('does not lose a default to an option that is undefined', () => {
    expect(
      expectationFor('clock', seen('strict'), { clockSkewSeconds: undefined } as object).clockSkewSeconds,
    ).toBe(5)
  })
})
