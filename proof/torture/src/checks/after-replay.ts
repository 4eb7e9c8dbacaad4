import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsRotation } from './conditions.ts'

/** A replay and the requests of the app at once: once the replay is refused, everything of the grant has ended. */
export const afterReplay: Check = {
  id: 'after-replay',
  rounds: 6,
  cost: { grants: 1, requests: 11 },
  missing: (_bench, seen) => needsRotation(seen),
  async round(stage) {
    const app = new TokenRotation(stage, await stage.hold())
    const { grant } = app
    const spent = await app.rotate()
    await app.rotate()
    const [, refreshed] = await stage.burst([
      stage.attempts.refresh(grant, spent, { process: 'thief' }),
      stage.attempts.refresh(grant, app.refresh),
    ])
    if (refreshed !== undefined) app.keep(refreshed)
    for (const probe of probes(stage, grant, app.access)) await stage.send(probe)
    await app.rotate()
  },
}
