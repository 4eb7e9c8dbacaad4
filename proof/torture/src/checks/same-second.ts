import { TokenRotation } from '../stage/token-rotation.ts'
import type { Check } from './check.ts'
import { needsRotation } from './conditions.ts'

/** A token is spent, and presented again within the second: a rotation does not depend on whole seconds (keycloak#50999). */
export const sameSecond: Check = {
  id: 'same-second',
  rounds: 6,
  cost: { grants: 1, requests: 6 },
  missing: (_bench, seen) => needsRotation(seen),
  async round(stage) {
    const app = new TokenRotation(stage, await stage.hold())
    const spent = await app.rotate()
    await stage.send(stage.attempts.refresh(app.grant, spent, { process: 'app-2' }))
    await app.rotate()
  },
}
