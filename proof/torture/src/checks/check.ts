import type { Attempt } from '../bursts/attempt.ts'
import type { Start } from '../bursts/burst.ts'
import type { Calibration } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import type { Bench } from '../stage/bench.ts'
import type { HeldGrant } from '../stage/grant.ts'
import type { Stage } from '../stage/stage.ts'

/** One way to break a server. A round fills the history, which is judged afterwards. */
export interface Check {
  readonly id: CheckId
  readonly rounds: number
  /** What a round takes at most. */
  readonly cost: { readonly grants: number; readonly requests: number }
  /** Why it cannot run here. */
  missing(bench: Bench, seen: Calibration): string | undefined
  /** @param round from 0 */
  round(stage: Stage, round: number): Promise<void>
}

/** The size and the start of a burst: three together for each staggered one. */
export function burstOf(bench: Bench, round: number): { readonly size: number; readonly start: Start } {
  const size = [2, 4, 8][round % 3] ?? 2
  return { size: Math.min(size, bench.maxBurst), start: round % 4 === 3 ? 'staggered' : 'together' }
}

/** The same request by several processes, at one replica after another. */
export function bySeveral(
  bench: Bench,
  size: number,
  attempt: (how: { process: string; replica?: string | undefined; place: number }) => Attempt,
): readonly Attempt[] {
  return Array.from({ length: size }, (_, place) => {
    const process = place === 0 ? 'app' : `app-${place + 1}`
    return attempt({ process, replica: bench.replicas[place % bench.replicas.length], place })
  })
}

/** Requests with an access token, where there is an endpoint for each. */
export function probes(stage: Stage, grant: HeldGrant, access: string, replica?: string): readonly Attempt[] {
  const { endpoints, introspector: client } = stage.bench
  const how = { process: 'resource', ...(replica && { replica }) }
  return [
    ...(endpoints.userinfo === undefined ? [] : [stage.attempts.use(grant, access, how)]),
    ...(client === undefined
      ? []
      : [stage.attempts.introspect(grant, access, { ...how, client, process: 'resource-2' })]),
  ]
}
