/** OpenID Connect, if the scope catalogue has `openid`: ID tokens, UserInfo, and their metadata. */

import { claimsOfTerms } from '../grants/grant.ts'
import type { SignInClassifier } from '../grants/introspection.ts'
import { isProtectedClaim, operatorClaims, type TokenClaimsOptions } from '../grants/operator-claims.ts'
import type { WithTerms } from '../grants/request-terms.ts'
import { type Endpoint, endpointPath, type PathOptions } from '../http/endpoint.ts'
import { json } from '../http/http.ts'
import {
  type Claims,
  claimsAbout,
  type Kernel,
  type SubjectOptions,
  type UserClaims,
} from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { SigningAlgorithm } from '../kernel/records.ts'
import { OPENID } from '../kernel/scope.ts'
import type { GrantId } from '../kernel/secrets.ts'
import type { AccessToken } from '../resource/access.ts'
import { BEARER_ERRORS, tokenError } from '../resource/challenge.ts'
import { accessOf, guardOf } from '../resource/resource-server.ts'
import { type AccessTokenFormat, tokenType } from '../tokens/credential.ts'
import type { ProofOfPossession } from '../tokens/proof-of-possession.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import {
  claimsOfScopes,
  type IdTokenClaimsOptions,
  idTokenClaims,
  idTokenClaimsMetadata,
  idTokenMembers,
  type ReleaseClaims,
  releaseClaims,
} from './id-token.ts'

export interface OpenIdOptions
  extends PathOptions<'userinfo'>,
    SubjectOptions,
    IdTokenClaimsOptions,
    TokenClaimsOptions {
  /**
   * Signs the ID tokens of clients that choose no algorithm. `keys` needs one for it. Default RS256, as every provider must
   * have it (OpenID Connect Core 15.1), unless a profile forbids it.
   */
  readonly idTokenAlgorithm?: SigningAlgorithm | undefined
}

interface OpenIdServer extends Kernel, SignInClassifier, WithTerms {
  readonly keys: SigningKeys
  readonly accessTokens: AccessTokenFormat
  /** An ID token lives as long as the access token, in seconds. */
  readonly terms: { readonly accessToken: number }
}

/**
 * @param proofs at UserInfo; default: none are needed
 * @returns nothing if the catalogue has no `openid`.
 * @throws Error that names the wrong option
 */
export function openId(server: OpenIdServer, options: OpenIdOptions, proofs: ProofOfPossession | undefined) {
  const { keys, terms } = server
  const { claims, idTokenAlgorithm: chosen } = options
  const alg = chosen ?? 'RS256'
  if (!Object.hasOwn(server.scopes, OPENID)) return []
  if (keys.signer(alg, server.now()) === undefined)
    throw new Error(`keys: the openid scope needs a key for ${alg}`)
  if (claims === undefined) throw new Error('claims is needed for the openid scope')
  checkScopeClaims(server)
  const release = releaseClaims(server)
  return [
    {
      endpoints: [userinfo(server, { ...options, claims }, release, proofs)],
      metadata: metadataOf(server, keys),
      tokenMembers: idTokenMembers(
        server,
        keys,
        { alg: chosen, lifetime: terms.accessToken },
        idTokenClaims(claims, release, options),
      ),
      clientMetadata: idTokenClaimsMetadata,
    },
  ]
}

const PROTOCOL_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'azp']

/** No claim of the application takes the place of one of the protocol. */
function checkScopeClaims(server: OpenIdServer): void {
  for (const [scope, { claims = [] }] of Object.entries(server.scopes)) {
    const taken = claims.find((name) => isProtectedClaim(name, server))
    if (taken !== undefined)
      throw new Error(`scopes: "${scope}" cannot open ${taken}, a claim of the protocol`)
  }
}

/** OpenID Connect Discovery 3. */
function metadataOf({ scopes, requestTerms }: OpenIdServer, keys: SigningKeys) {
  const claims = [
    ...claimsOfScopes(Object.keys(scopes), scopes),
    // Those about the user, as OpenID Connect Discovery 3 has it.
    ...(requestTerms?.list ?? []).flatMap((term) => term.claims).filter((name) => !isProtectedClaim(name)),
  ]
  return {
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: keys.algorithms,
    claim_types_supported: ['normal'],
    claims_supported: [...new Set([...PROTOCOL_CLAIMS, ...claims])],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
  }
}

/** The UserInfo endpoint (OpenID Connect Core 5.3). A request without a token is a 401: there is no anonymous user. */
function userinfo(
  server: OpenIdServer,
  options: OpenIdOptions & { readonly claims: Claims },
  release: ReleaseClaims,
  proofs: ProofOfPossession | undefined,
): Endpoint {
  const guard = guardOf(server, server.issuer, server.accessTokens, proofs)
  const ofOperator = userinfoClaims(server, options)
  return {
    path: endpointPath('userinfo', options.paths?.userinfo, '/api/oauth/userinfo'),
    metadataName: 'userinfo_endpoint',
    summary: 'Claims of the user (OpenID Connect Core 5.3)',
    methods: ['GET', 'POST'],
    cors: true,
    async answer(request) {
      const access = await accessOf(guard, request, [OPENID])
      if (access.kind === 'refused') return access.response
      if (access.kind === 'anonymous' || access.token.by === 'client')
        throw new Error('The guard of UserInfo accepted a request without the token of a user')
      const { token, headers } = access
      const { subject, scopes, resources, terms } = token
      const [user, more] = await Promise.all([claimsAbout(options.claims, subject), ofOperator?.(token)])
      if (user === undefined) {
        const gone = new OAuthError(BEARER_ERRORS.bearer_subject_gone)
        const reference = guard.observer?.refused(request, gone)?.reference
        const error = reference === undefined ? gone : gone.withReference(reference)
        return tokenError(guard, error, { scopes: [OPENID] }, tokenType(token.jkt))
      }
      const ofTerms = terms && claimsOfTerms(server.requestTerms?.list, terms, { use: 'userinfo', resources })
      return json(200, { sub: subject, ...release(scopes, user), ...more, ...ofTerms }, headers)
    },
  }
}

/** The claims of the option `tokenClaims` for UserInfo; `undefined` without it. They cost two more reads. */
function userinfoClaims(kernel: Kernel & WithTerms, options: TokenClaimsOptions) {
  const claims = operatorClaims(kernel, options)
  if (claims === undefined) return undefined
  const { clients, grants } = kernel.store
  return async ({ grantId, clientId, scopes, resources, terms }: AccessToken): Promise<UserClaims> => {
    const [grant, client] = await Promise.all([grants.find(grantId as GrantId), clients.find(clientId)])
    // It ended meanwhile.
    if (grant === undefined || client === undefined) return {}
    return claims('userinfo', { grant: grant.value, terms, client, scopes, resources })
  }
}
