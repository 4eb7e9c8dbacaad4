/**
 * The FAPI 2.0 Security Profile (Final): the options that it requires, the options that it sets, and the features that it mounts.
 * The modules of these features implement its rules.
 */

import { invalidMetadata } from '../../clients/client-metadata.ts'
import type { Metadata } from '../../discovery/server-metadata.ts'
import type { FeatureParts } from '../../feature.ts'
import { isLoopbackUrl } from '../../http/public-url.ts'
import type { Client } from '../../kernel/records.ts'
import type { AuthorizationServerOptions, Demand, Profile } from '../../options.ts'
import { type ClientAssertionOptions, clientAssertion } from '../client-assertion/client-assertion.ts'
import { type DpopOptions, dpop } from '../dpop/dpop.ts'
import { type PushedAuthorizationRequestsOptions, pushedAuthorizationRequests } from '../par/par.ts'
import { requestObjects } from '../request-objects/request-objects.ts'
import { signedResponses } from '../signed-responses/signed-responses.ts'

/** Options of the mounted features that the profile leaves open. */
export interface Fapi2Options {
  readonly clientAssertion?: Pick<ClientAssertionOptions, 'fetch' | 'maxLifetime'> | undefined
  readonly dpop?: Pick<DpopOptions, 'nonce' | 'replay'> | undefined
  readonly par?: Pick<PushedAuthorizationRequestsOptions, 'lifetime' | 'path'> | undefined
  /** FAPI 2.0 Message Signing (Final): what must be signed. Default: nothing. */
  readonly messageSigning?:
    | {
        /** The requests of clients (5.3). */
        readonly requests?: boolean | undefined
        /** The answers to them (5.4): by ES256, or by this algorithm, unless a client registers another. */
        readonly responses?: boolean | 'ES256' | 'EdDSA' | undefined
      }
    | undefined
}

const NAME = 'FAPI 2.0 Security Profile'

/**
 * The algorithms of all JWT signatures (5.4.1, item 1). `Ed25519` is a newer name of `EdDSA`. Give them to the `dpopProofs` of each
 * API, with `required`.
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
export const FAPI2_PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const

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
export function fapi2({
  clientAssertion: assertion,
  dpop: proofs,
  par,
  messageSigning: { requests = false, responses = false } = {},
}: Fapi2Options = {}): Profile {
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
      clientAssertion({ ...assertion, algorithms: FAPI2_PROOF_ALGORITHMS, stringAudience: true }),
      pushedAuthorizationRequests({ ...par, required: true }),
      dpop({ ...proofs, required: true, algorithms: FAPI2_PROOF_ALGORITHMS }),
      (): FeatureParts => ({ checkClient }),
      ...(requests ? [requestObjects(SIGNED_REQUESTS)] : []),
      ...(responses
        ? [signedResponses({ required: true, algorithm: responses === true ? 'ES256' : responses })]
        : []),
    ],
    published: PUBLISHED,
  }
}

/** FAPI 2.0 Message Signing 5.3.1. */
const SIGNED_REQUESTS = {
  required: true,
  algorithms: FAPI2_PROOF_ALGORITHMS,
  nbf: 'required',
  maxAge: 60 * 60,
} as const

/** Section 5.3.2.2, item 5. @throws OAuthError `invalid_client_metadata` */
function checkClient({ pkceOptional }: Client): void {
  if (pkceOptional) throw invalidMetadata(`pkce: ${NAME} 5.3.2.2 requires it`)
}

/** Seconds (5.3.2.1, item 11). */
const MAX_CODE_LIFETIME = 60

/** The requirements of the profile for options. The server meets its other sections with any options. */
const DEMANDS: readonly Demand<AuthorizationServerOptions<string>>[] = [
  {
    section: '5.2.1',
    rule: 'issuer must be an https URL, or of a loopback address to try it',
    holds: ({ issuer }) => issuer.startsWith('https:') || isLoopbackUrl(issuer),
  },
  {
    section: '5.3.2.1, item 3',
    rule: 'registration must be false: clients that register themselves are not authenticated',
    holds: ({ registration = false }) => registration === false,
  },
  {
    section: '5.3.2.1, item 6',
    rule: 'clientAuthentication must be left out: private_key_jwt is the only method',
    holds: ({ clientAuthentication = [] }) => clientAuthentication.length === 0,
  },
  {
    section: '5.3.2.1, item 9',
    rule: 'refreshTokenRotation must be public-clients',
    holds: ({ refreshTokenRotation }) => refreshTokenRotation !== 'always',
  },
  {
    section: '5.3.2.1, item 11',
    rule: `lifetimes.code must be at most ${MAX_CODE_LIFETIME}`,
    holds: ({ lifetimes }) => (lifetimes?.code ?? MAX_CODE_LIFETIME) <= MAX_CODE_LIFETIME,
  },
  {
    section: '5.4.1, item 1',
    rule: 'keys must be for ES256 or EdDSA',
    holds: ({ keys = [] }) => (typeof keys === 'function' ? keys() : keys).every(({ alg }) => isAllowed(alg)),
  },
  {
    section: '5.4.1, item 1',
    rule: 'idTokenAlgorithm must be ES256 or EdDSA',
    holds: ({ idTokenAlgorithm = 'ES256' }) => isAllowed(idTokenAlgorithm),
  },
]

function isAllowed(algorithm: unknown): boolean {
  return FAPI2_PROOF_ALGORITHMS.some((allowed) => allowed === algorithm)
}

/** The requirements for the metadata, to which other features may add. */
const PUBLISHED: readonly Demand<Metadata>[] = [
  {
    section: '5.3.2.1, item 2',
    rule: 'features: grant_types_supported must not have password',
    holds: (metadata) => !listed(metadata, 'grant_types_supported').includes('password'),
  },
  {
    section: '5.3.2.1, item 6',
    rule: 'features: token_endpoint_auth_methods_supported must have only private_key_jwt',
    holds: (metadata) =>
      listed(metadata, 'token_endpoint_auth_methods_supported').every((name) => name === 'private_key_jwt'),
  },
  {
    section: '5.4.1, item 1',
    rule: 'features: the lists of signing algorithms must have only PS256, ES256 and EdDSA',
    holds: (metadata) =>
      Object.keys(metadata)
        .filter((member) => member.endsWith('_signing_alg_values_supported'))
        .every((member) => listed(metadata, member).every(isAllowed)),
  },
]

function listed(metadata: Metadata, member: string): readonly unknown[] {
  const list = metadata[member]
  return Array.isArray(list) ? list : []
}
