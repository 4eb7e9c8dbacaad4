import type { Calibration } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import type { Declared } from '../history/declared.ts'
import { type Finding, judge } from '../history/judge.ts'
import type { Operation } from '../history/operation.ts'
import { expectationFor } from './expectation.ts'
import type { PlayedRound } from './run-checks.ts'

/** Restarts lose answers by themselves, which is not noise. */
const LOUD: readonly CheckId[] = ['crash']

/** Judges what a round left. A round that did not come to an end counts as far as it got. */
export function judgeRound(
  round: PlayedRound,
  seen: Calibration,
  declared: Partial<Declared>,
): readonly Finding[] {
  const { check, history } = round
  if (history.length === 0) return []
  const own = judge(check, history, expectationFor(check, seen, declared))
  return check === 'quiet' || LOUD.includes(check) ? [own] : [own, judgedQuiet(history, seen, declared)]
}

/** Every race shows whether the server stays quiet. */
function judgedQuiet(history: readonly Operation[], seen: Calibration, declared: Partial<Declared>): Finding {
  return judge('quiet', history, expectationFor('quiet', seen, declared))
}
