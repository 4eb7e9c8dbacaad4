import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsRefresh } from './conditions.ts'

/** The clocks of the replicas, by the `Date` of their answers (RFC 9110 section 6.6.1), before and after --clock. */
export const clock: Check = {
  id: 'clock',
  rounds: 2,
  cost: { grants: 1, requests: 8 },
  missing: (_bench, seen) => needsRefresh(seen),
  async round(stage, round) {
    const { replicas, clock: setClock } = stage.bench
    if (round === 1) await setClock?.()
    const app = new TokenRotation(stage, await stage.hold())
    for (const replica of replicas.length === 0 ? [undefined] : replicas) {
      await app.rotate({ replica })
      for (const probe of probes(stage, app.grant, app.access, replica)) await stage.send(probe)
    }
  },
}
