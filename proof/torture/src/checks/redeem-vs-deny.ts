import { missingAbility } from '../grants/ways.ts'
import type { Grant } from '../stage/grant.ts'
import type { Stage } from '../stage/stage.ts'
import type { Check } from './check.ts'

/** A user takes the approval back, before the code is redeemed or at the same time. */
export const redeemVsDeny: Check = {
  id: 'redeem-vs-deny',
  rounds: 8,
  cost: { grants: 1, requests: 6 },
  missing: ({ ways }) =>
    missingAbility(ways, 'deny') ?? (missingAbility(ways, 'code') && missingAbility(ways, 'device')),
  async round(stage, round) {
    const [grant, redeem] = await approved(stage)
    if (round % 2 === 0) await stage.deny(grant)
    else await Promise.all([stage.deny(grant), stage.send(redeem())])
    const { tokens } = await stage.send(redeem())
    if (tokens.refresh !== undefined) await stage.send(stage.attempts.refresh(grant, tokens.refresh))
  },
}

async function approved(stage: Stage) {
  const byCode = stage.bench.ways.authorize !== undefined
  const grant: Grant = byCode ? await stage.approve() : await stage.startDevice()
  if (!byCode) await stage.approveDevice(grant)
  return [grant, () => (byCode ? stage.attempts.redeem(grant) : stage.attempts.poll(grant))] as const
}
