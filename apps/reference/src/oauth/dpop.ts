import { type DpopOptions, dpopProofs } from '@grantkit/core/dpop'
import type { Settings } from '../settings/settings.ts'

/** DPoP of the server and of its APIs, which share the nonces of their origin. */
export function dpopOf(setting: Settings['DPOP'], secret: string): DpopOptions {
  return { secret, required: setting === 'required' }
}

/** The proofs at the APIs of the service; none while DPoP is off. */
export function proofsOf(setting: Settings['DPOP'], secret: string) {
  return setting === 'off' ? undefined : dpopProofs(dpopOf(setting, secret))
}
