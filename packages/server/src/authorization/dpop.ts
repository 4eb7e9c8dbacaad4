import type { ServerSecret } from '@grantkit/core'
import { type DpopOptions, dpopProofs } from '@grantkit/core/dpop'
import { FAPI2_PROOF_ALGORITHMS } from '@grantkit/core/fapi2'
import type { Config } from '../config/config.ts'

type DpopConfig = Pick<Config['features'], 'dpop' | 'profile'>

/** DPoP for the authorization server and its APIs, which share the nonces of their origin. */
export function dpopOf({ dpop: { mode, replay }, profile }: DpopConfig): DpopOptions {
  const algorithms = profile === 'fapi2' ? FAPI2_PROOF_ALGORITHMS : undefined
  return { required: mode === 'required', algorithms, replay: replay === 'strict' ? 'strict' : undefined }
}

/** The proof verification at the APIs of the service; `undefined` without DPoP. */
export function proofsOf(features: DpopConfig, secret: ServerSecret) {
  return features.dpop.mode === 'off' ? undefined : dpopProofs({ ...dpopOf(features), secret })
}
