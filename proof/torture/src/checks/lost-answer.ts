import { TokenRotation } from '../stage/token-rotation.ts'
import type { Check } from './check.ts'
import { needsRefresh } from './conditions.ts'

/** Milliseconds after the last byte. */
export const TEARS = [0, 1, 5, 20]

/** The answer to a refresh is lost, and the app tries again, which must not cost it the grant. */
export const lostAnswer: Check = {
  id: 'lost-answer',
  rounds: 8,
  cost: { grants: 1, requests: 6 },
  missing: (_bench, seen) => needsRefresh(seen),
  async round(stage, round) {
    const app = new TokenRotation(stage, await stage.hold())
    const attempt = () => stage.attempts.refresh(app.grant, app.refresh)
    if (round % 2 === 0) await stage.sendForgotten(attempt())
    else await stage.sendTorn(attempt(), TEARS[(round >> 1) % TEARS.length] ?? 0)
    await app.rotate()
    await app.rotate()
  },
}
