/**
 * The FAPI 2.0 Security Profile (Final): the options that it requires, the options that it sets, and the features that it mounts.
 * The modules of these features implement its rules.
 */

import { METADATA_ERRORS } from '../../clients/client-metadata.ts'
import type { FeatureParts } from '../../feature.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import type { Profile } from '../../options.ts'
import { type ClientAssertionOptions, clientAssertion } from '../client-assertion/client-assertion.ts'
import { type DpopOptions, dpop } from '../dpop/dpop.ts'
import { type PushedAuthorizationRequestsOptions, pushedAuthorizationRequests } from '../par/par.ts'
import { ALGORITHMS, DEMANDS, PUBLISHED } from './demands.ts'

/** Options of the mounted features that the profile leaves open. */
export interface Fapi2Options {
  readonly clientAssertion?: Pick<ClientAssertionOptions, 'fetch' | 'maxLifetime'> | undefined
  readonly dpop?: Pick<DpopOptions, 'nonce' | 'replay'> | undefined
  readonly par?: Pick<PushedAuthorizationRequestsOptions, 'lifetime' | 'path'> | undefined
}

const NAME = 'FAPI 2.0 Security Profile'

/**
 * The algorithms of DPoP proofs. Give them to the `dpopProofs` of each API, with `required`.
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 * import { dpopProofs } from '@grantkit/core/dpop'
 * import { FAPI2_PROOF_ALGORITHMS } from '@grantkit/core/fapi2'
 *
 * const proofs = dpopProofs({ secret, required: true, algorithms: FAPI2_PROOF_ALGORITHMS })
 * createResourceServer({ resource: issuer, store, scopes, proofs })
 * ```
 */
export const FAPI2_PROOF_ALGORITHMS = ALGORITHMS

/**
 * The FAPI 2.0 Security Profile: the option `profile`. It mounts `private_key_jwt`, pushed authorization requests and DPoP, all of
 * them required, so `features` must not contain them. The operator adds clients with their keys.
 *
 * @throws Error that names the option that contradicts the profile, and the section, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { fapi2 } from '@grantkit/core/fapi2'
 *
 * // Only ES256 and EdDSA keys.
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, keys, claims, profile: fapi2() })
 * ```
 */
export function fapi2({ clientAssertion: assertion, dpop: proofs, par }: Fapi2Options = {}): Profile {
  return {
    name: NAME,
    demands: DEMANDS,
    sets: {
      registration: false,
      clientAuthentication: [],
      refreshTokenRotation: 'public-clients',
      idTokenAlgorithm: 'ES256',
      pkce: 'required',
    },
    features: [
      clientAssertion({ ...assertion, algorithms: ALGORITHMS, stringAudience: true }),
      pushedAuthorizationRequests({ ...par, required: true }),
      dpop({ ...proofs, required: true, algorithms: ALGORITHMS }),
      (): FeatureParts => ({ checkClient }),
    ],
    published: PUBLISHED,
  }
}

/** Section 5.3.2.2, item 5. @throws OAuthError `invalid_client_metadata` */
function checkClient({ pkceOptional }: Client): void {
  if (pkceOptional)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `pkce: ${NAME} 5.3.2.2 requires it`)
}
