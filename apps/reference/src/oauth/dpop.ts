import { type DpopOptions, dpopProofs } from '@grantkit/core/dpop'
import { FAPI2_PROOF_ALGORITHMS } from '@grantkit/core/fapi2'
import type { Settings } from '../settings/settings.ts'

/** DPoP of the server and of its APIs, which share the nonces of their origin. */
export function dpopOf({ DPOP, PROFILE }: Pick<Settings, 'DPOP' | 'PROFILE'>, secret: string): DpopOptions {
  const algorithms = PROFILE === 'fapi2' ? FAPI2_PROOF_ALGORITHMS : undefined
  return { secret, required: DPOP === 'required', algorithms }
}

/** The proofs at the APIs of the service, or at another origin that it guards; none while DPoP is off. */
export function proofsOf(
  settings: Pick<Settings, 'DPOP' | 'DPOP_REPLAY' | 'PROFILE'>,
  secret: string,
  publicOrigin?: string,
) {
  const replay = settings.DPOP_REPLAY === 'strict' ? ('strict' as const) : undefined
  return settings.DPOP === 'off'
    ? undefined
    : dpopProofs({ ...dpopOf(settings, secret), publicOrigin, replay })
}
