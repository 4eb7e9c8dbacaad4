import { missingAbility } from '../grants/ways.ts'
import type { Check } from './check.ts'
import { needsSlow } from './conditions.ts'

/** A code that nobody redeemed in time is worthless (RFC 6749 section 4.1.2: ten minutes at most). */
export const expiredCode: Check = {
  id: 'expired-code',
  rounds: 1,
  cost: { grants: 2, requests: 4 },
  missing: (bench) => needsSlow(bench) ?? missingAbility(bench.ways, 'code'),
  async round(stage) {
    const { codeSeconds, declared } = stage.bench
    const grants = [await stage.approve(), await stage.approve()]
    await stage.wait(codeSeconds + (declared.clockSkewSeconds ?? 0) + 1)
    for (const grant of grants)
      await stage.send(stage.attempts.redeem(grant, { forbidden: 'an expired code' }))
  },
}
