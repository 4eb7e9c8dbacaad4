import type { ServerSecret } from '@grantkit/core'
import { type DpopOptions, dpopProofs } from '@grantkit/core/dpop'
import { FAPI2_PROOF_ALGORITHMS } from '@grantkit/core/fapi2'
import type { Settings } from '../settings/settings.ts'

type DpopSettings = Pick<Settings, 'DPOP' | 'DPOP_REPLAY' | 'PROFILE'>

/** DPoP for the authorization server and its APIs, which share the nonces of their origin. */
export function dpopOf({ DPOP, DPOP_REPLAY, PROFILE }: DpopSettings): DpopOptions {
  const algorithms = PROFILE === 'fapi2' ? FAPI2_PROOF_ALGORITHMS : undefined
  const replay = DPOP_REPLAY === 'strict' ? 'strict' : undefined
  return { required: DPOP === 'required', algorithms, replay }
}

/** The proof verification at the APIs of the service; `undefined` without DPoP. */
export function proofsOf(settings: DpopSettings, secret: ServerSecret) {
  return settings.DPOP === 'off' ? undefined : dpopProofs({ ...dpopOf(settings), secret })
}
