import { missingAbility } from '../grants/ways.ts'
import type { Check } from './check.ts'
import { TEARS } from './lost-answer.ts'

/** The answer to a redemption is lost, and the app tries again. */
export const lostCodeAnswer: Check = {
  id: 'lost-code-answer',
  rounds: 8,
  cost: { grants: 1, requests: 5 },
  missing: ({ ways }) => missingAbility(ways, 'code'),
  async round(stage, round) {
    const grant = await stage.approve()
    const attempt = () => stage.attempts.redeem(grant)
    if (round % 2 === 0) await stage.sendForgotten(attempt())
    else await stage.sendTorn(attempt(), TEARS[(round >> 1) % TEARS.length] ?? 0)
    const { tokens } = await stage.send(attempt())
    if (tokens.refresh !== undefined) await stage.send(stage.attempts.refresh(grant, tokens.refresh))
  },
}
