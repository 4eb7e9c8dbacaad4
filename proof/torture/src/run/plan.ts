import type { Calibration } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import { ALL_CHECKS } from '../checks/all-checks.ts'
import type { Bench } from '../stage/bench.ts'
import { openBench } from './open-bench.ts'
import type { TortureOptions } from './options.ts'

/** What a check would take at most, or why it would not run. */
export interface PlannedCheck {
  readonly check: CheckId
  readonly rounds: number
  readonly grants: number
  readonly requests: number
  readonly reason?: string | undefined
}

/** Reads the metadata and counts. Nothing else is sent, except a registration that the options ask for. */
export async function planRun(options: TortureOptions): Promise<readonly PlannedCheck[]> {
  const bench = await openBench(options, 0)
  bench.transport.close()
  const checks = ALL_CHECKS.filter(({ id }) => options.only === undefined || options.only.includes(id))
  return checks.map(({ id, rounds, cost, missing }) => {
    const reason = missing(bench, hopeFor(bench))
    if (reason !== undefined) return { check: id, rounds: 0, grants: 0, requests: 0, reason }
    return { check: id, rounds, grants: rounds * cost.grants, requests: rounds * cost.requests }
  })
}

/** Before the calibration, the server is taken for one that every check can race. */
function hopeFor({ declared }: Bench): Calibration {
  const rotation = declared.rotation ?? 'strict'
  return { rotation, overlapSeconds: 0, replayEndsFamily: true, logoutEnds: true, refreshes: true }
}

/** As lines of text. */
export function planLines(planned: readonly PlannedCheck[]): readonly string[] {
  const total = (of: (each: PlannedCheck) => number) => planned.reduce((sum, each) => sum + of(each), 0)
  const lines = planned.map(({ check, rounds, grants, requests, reason }) =>
    reason === undefined
      ? `${check.padEnd(18)} ${rounds} rounds, ${grants} grants, ${requests} requests`
      : `${check.padEnd(18)} skipped: ${reason}`,
  )
  return [
    ...lines,
    `At most ${total((each) => each.grants)} grants and ${total((each) => each.requests)} requests.`,
  ]
}
