import type { Calibration } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import { type Declared, IDEAL } from '../history/declared.ts'

/** Where nothing else is known, in seconds. */
const WINDOW_SECONDS = 10

/** Checks of what one request after another gets: that the server always does it does not excuse it. */
const OF_THE_SEQUENCE: readonly CheckId[] = ['replay-contained', 'same-second']

/**
 * The rules that a check is judged by: what the operator declares, and otherwise what the server does in sequence. An app that
 * loses an answer needs a second one, so without a declaration `lost-answer` expects it.
 */
export function expectationFor(check: CheckId, seen: Calibration, declared: Partial<Declared>): Declared {
  const rotation = declared.rotation ?? expectedRotation(check, seen.rotation)
  const overlapSeconds = rotation === 'same-pair' || rotation === 'overlap' ? WINDOW_SECONDS : 0
  return {
    ...{ overlapSeconds, replayEndsFamily: true, codeReplayEndsFamily: true, logoutEnds: true },
    ...{ clockSkewSeconds: IDEAL.clockSkewSeconds, revocationEnds: 'family' },
    ...Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined)),
    rotation,
  }
}

function expectedRotation(check: CheckId, seen: Declared['rotation']): Declared['rotation'] {
  if (check === 'lost-answer' && seen === 'strict') return 'same-pair'
  return OF_THE_SEQUENCE.includes(check) && seen === 'overlap' ? 'strict' : seen
}
