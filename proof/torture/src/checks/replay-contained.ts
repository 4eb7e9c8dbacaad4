import { IDEAL } from '../history/declared.ts'
import type { Stage } from '../stage/stage.ts'
import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsRotation } from './conditions.ts'

/** A thief presents a spent refresh token: it gets nothing new, and the grant ends (RFC 9700 section 4.14.2). */
export const replayContained: Check = {
  id: 'replay-contained',
  rounds: 6,
  cost: { grants: 1, requests: 9 },
  missing: (_bench, seen) => needsRotation(seen),
  async round(stage, round) {
    const app = new TokenRotation(stage, await stage.hold())
    const { grant } = app
    const spent = await app.rotate()
    // Two generations are a theft in every server; the token before the last may also be a retry.
    if (round % 2 === 0) await app.rotate()
    if (round === 0) await windowEnd(stage)
    await stage.send(stage.attempts.refresh(grant, spent, { process: 'thief' }))
    await stage.send(stage.attempts.refresh(grant, spent, { process: 'thief' }))
    await app.rotate()
    for (const probe of probes(stage, grant, app.access)) await stage.send(probe)
  },
}

/** Within its window a server may take a replay for a retry. With --slow and a declared window, one comes after it. */
async function windowEnd({ bench: { slow, declared }, wait }: Stage): Promise<void> {
  const { overlapSeconds, clockSkewSeconds = IDEAL.clockSkewSeconds } = declared
  if (slow && overlapSeconds !== undefined) await wait(overlapSeconds + clockSkewSeconds + 1)
}
