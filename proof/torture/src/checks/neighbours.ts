import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsRotation } from './conditions.ts'

/** A replay or a revocation ends its own grant: the other grants of the user at the same client live on. */
export const neighbours: Check = {
  id: 'neighbours',
  rounds: 3,
  cost: { grants: 2, requests: 11 },
  missing: (_bench, seen) => needsRotation(seen),
  async round(stage, round) {
    const neighbour = new TokenRotation(stage, await stage.hold())
    const app = new TokenRotation(stage, await stage.hold())
    const spent = await app.rotate()
    await app.rotate()
    if (round % 3 === 2 && stage.bench.endpoints.revocation !== undefined)
      await stage.send(stage.attempts.revoke(app.grant, app.refresh))
    else await stage.send(stage.attempts.refresh(app.grant, spent, { process: 'thief' }))
    for (const probe of probes(stage, neighbour.grant, neighbour.access)) await stage.send(probe)
    await neighbour.rotate()
  },
}
