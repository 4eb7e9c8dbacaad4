import { type DpopOptions, dpopProofs } from '@grantkit/core/dpop'
import type { Settings } from '../settings/settings.ts'

/** DPoP of the server and of its APIs, which share the nonces of their origin. */
export function dpopOf({ DPOP }: Pick<Settings, 'DPOP'>, secret: string): DpopOptions {
  return { secret, required: DPOP === 'required' }
}

/** The proofs at the APIs of the service, or at another origin that it guards; none while DPoP is off. */
export function proofsOf(
  settings: Pick<Settings, 'DPOP' | 'DPOP_REPLAY'>,
  secret: string,
  publicOrigin?: string,
) {
  const replay = settings.DPOP_REPLAY === 'strict' ? ('strict' as const) : undefined
  return settings.DPOP === 'off'
    ? undefined
    : dpopProofs({ ...dpopOf(settings, secret), publicOrigin, replay })
}
