import { missingAbility } from '../grants/ways.ts'
import { burstOf, bySeveral, type Check } from './check.ts'

/** A code is redeemed by several at once, some of them without its verifier (RFC 6749 section 4.1.2, RFC 7636 section 4.6). */
export const codeTwice: Check = {
  id: 'code-twice',
  rounds: 12,
  cost: { grants: 1, requests: 10 },
  missing: ({ ways }) => missingAbility(ways, 'code'),
  async round(stage, round) {
    const grant = await stage.approve()
    const { size, start } = burstOf(stage.bench, round)
    const withThieves = round % 2 === 1
    const attempts = bySeveral(stage.bench, size, ({ place, ...how }) =>
      withThieves && place % 2 === 1
        ? stage.attempts.redeem(grant, { ...how, process: `thief-${place}`, wrongVerifier: true })
        : stage.attempts.redeem(grant, how),
    )
    await stage.burst(attempts, start)
    if (withThieves) await stage.send(stage.attempts.redeem(grant, { process: 'thief', wrongVerifier: true }))
  },
}
