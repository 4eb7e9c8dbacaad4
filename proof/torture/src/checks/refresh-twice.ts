import { burstOf, bySeveral, type Check } from './check.ts'
import { needsRefresh } from './conditions.ts'

/** A refresh token is used by several at once (RFC 9700 section 4.14.2). */
export const refreshTwice: Check = {
  id: 'refresh-twice',
  rounds: 12,
  cost: { grants: 1, requests: 11 },
  missing: (_bench, seen) => needsRefresh(seen),
  async round(stage, round) {
    const grant = await stage.hold()
    const { size, start } = burstOf(stage.bench, round)
    await stage.burst(
      bySeveral(stage.bench, size, (how) => stage.attempts.refresh(grant, grant.tokens.refresh, how)),
      start,
    )
  },
}
