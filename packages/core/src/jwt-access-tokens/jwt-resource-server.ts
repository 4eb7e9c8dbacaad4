/**
 * The guard of an API that cannot reach the store (RFC 9068 4): it checks signed tokens with the public keys. A request
 * comes in; a valid token, an anonymous caller or a refusal goes out, as from the guard with the store.
 */

import type { JSONWebKeySet } from 'jose'
import type { HttpRequest } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import { type Emit, type RequestEvent, shielded } from '../kernel/events.ts'
import { systemClock } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { checkedResource } from '../kernel/resource-indicator.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  Caller,
  ClientCredentialsToken,
} from '../resource/access.ts'
import { BEARER_ERRORS } from '../resource/challenge.ts'
import { type Deciding, decide } from '../resource/guard.ts'
import type { ProofsOfResource, ResourceServer } from '../resource/resource-server.ts'
import { type AccessTokenClaims, presentedIn } from './access-token-claims.ts'
import type { RevokedTokens } from './revoked-tokens.ts'
import { tokenVerifier } from './verify-access-token.ts'

export { type RevokedTokens, type RevokedTokensOptions, revokedTokens } from './revoked-tokens.ts'

export interface JwtResourceServerOptions<Scope extends string> {
  /** The issuer of the authorization server. */
  readonly issuer: string
  /** The resource indicator of this API (RFC 8707): the `aud` of its tokens. */
  readonly resource: string
  /** The scope catalogue; it types the scopes of the routes. */
  readonly scopes: ScopeCatalogue<Scope>
  /** The address of the key set (`jwks_uri` of the metadata), or the keys. */
  readonly keys: string | JSONWebKeySet
  /** The tokens that were ended before they expired. Without it a revoked token is good until it expires. */
  readonly ended?: RevokedTokens | undefined
  /** Lets requests without a token through as anonymous. Default: they get a 401. */
  readonly anonymous?: 'allow' | undefined
  /** The URL of the protected-resource metadata (RFC 9728 3). Default: its well-known address. */
  readonly metadataUrl?: string | undefined
  /** Takes access tokens that are bound to a key: `dpopProofs` (RFC 9449 7). Default: they are refused. */
  readonly proofs?: ProofsOfResource | undefined
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

/**
 * Guards an API with the public keys of the authorization server alone.
 *
 * @throws Error for a bad option
 *
 * @example
 * ```ts
 * import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
 *
 * export const notes = createJwtResourceServer({
 *   issuer: 'https://auth.example',
 *   resource: 'https://notes.example/api',
 *   scopes: { 'notes:read': { description: 'See your notes' } },
 *   keys: 'https://auth.example/api/oauth/jwks',
 * })
 * ```
 */
export function createJwtResourceServer<Scope extends string>(
  options: JwtResourceServerOptions<Scope> & { readonly anonymous: 'allow' },
): ResourceServer<Scope, Authorized | Anonymous>
export function createJwtResourceServer<Scope extends string>(
  options: JwtResourceServerOptions<Scope> & { readonly anonymous?: undefined },
): ResourceServer<Scope>
export function createJwtResourceServer<Scope extends string>(
  options: JwtResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous>
export function createJwtResourceServer<Scope extends string>(
  options: JwtResourceServerOptions<Scope>,
): ResourceServer<Scope, Authorized | Anonymous> {
  const { issuer, keys, ended, now = systemClock } = options
  const resource = checkedResource('resource', options.resource)
  const metadataUrl = options.metadataUrl ?? wellKnownAddress('oauth-protected-resource', resource)
  const verify = tokenVerifier({ issuer, resource, keys, now })
  const guard: Deciding = {
    metadataUrl,
    anonymous: options.anonymous ?? 'refuse',
    proofs: options.proofs?.({ resource, now }),
    emit: shielded(options.onEvent as Emit | undefined),
  }
  const liveToken = async (text: string) => {
    const claims = await verify(text)
    if (ended?.has(claims.jti)) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
    return tokenOf(claims)
  }
  const access = (request: HttpRequest, required: readonly string[], clientCredentials: boolean) =>
    decide(guard, request, { required, clientCredentials }, liveToken)
  return guarding(guard, access, false)
}

function guarding<Scope extends string, Auth extends Caller>(
  guard: Deciding,
  access: (
    request: HttpRequest,
    required: readonly string[],
    clientCredentials: boolean,
  ) => Promise<Access<Caller>>,
  clientCredentials: boolean,
): ResourceServer<Scope, Auth> {
  return {
    metadataUrl: guard.metadataUrl,
    corsHeaders: guard.proofs?.corsHeaders,
    access: (request, ...required) => access(request, required, clientCredentials) as Promise<Access<Auth>>,
    allowing: (callers) => guarding(guard, access, callers.clientCredentials),
  }
}

function tokenOf(claims: AccessTokenClaims): AccessToken | ClientCredentialsToken {
  const { act, sub, client_id: clientId } = claims
  return {
    grantId: presentedIn(claims).grantId,
    // A machine is its own subject (RFC 9068 2.2). A user of that name is refused with it.
    ...(sub === clientId ? ({ by: 'client', subject: undefined } as const) : { subject: sub }),
    clientId,
    scopes: claims.scope === '' ? [] : claims.scope.split(' '),
    resources: [claims.aud],
    issuedAt: claims.iat,
    expiresAt: claims.exp,
    ...(act && { act }),
    ...claims.cnf,
  }
}
