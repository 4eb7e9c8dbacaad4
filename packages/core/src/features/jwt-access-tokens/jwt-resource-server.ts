/**
 * The guard of an API that cannot reach the store (RFC 9068 4): it verifies signed tokens with the public keys. The result is a valid token,
 * an anonymous caller or an error, as for the guard with the store.
 */
import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { wellKnownAddress } from '../../http/endpoint.ts'
import { isHttpsOrLoopback } from '../../http/public-url.ts'
import { type Emit, shielded } from '../../kernel/events.ts'
import { CLOCK_TOLERANCE, type UserClaims } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { checkedResource } from '../../kernel/resource-indicator.ts'
import { systemClock } from '../../kernel/time.ts'
import type {
  AccessToken,
  Anonymous,
  Authorized,
  ClientCredentialsToken,
  ResourceServer,
} from '../../resource/access.ts'
import { BEARER_ERRORS } from '../../resource/challenge.ts'
import { checkedClasses, type Deciding, decide, resourceServer } from '../../resource/guard.ts'
import type { GuardOptions } from '../../resource/resource-server.ts'
import { requireWrongSignature } from '../../tokens/jws-signature.ts'
import { JWT_GUARD_ERRORS, type RevokedTokens } from './revoked-tokens.ts'
import {
  ACCESS_TOKEN_TYPE,
  AccessTokenClaims,
  presentedIn,
  requiredClaims,
  verifiedOnce,
} from './verified-tokens.ts'

export { type RevokedTokens, type RevokedTokensOptions, revokedTokens } from './revoked-tokens.ts'

export interface JwtResourceServerOptions<Scope extends string> extends GuardOptions<Scope> {
  /** The issuer of the authorization server. */
  readonly issuer: string
  /** The address of the key set (`jwks_uri` of the metadata), https or loopback, or the keys. */
  readonly keys: string | JSONWebKeySet
  /** The revoked tokens (`revokedTokens`). Without them, a revoked token is accepted until it expires. */
  readonly ended?: RevokedTokens | undefined
}

/**
 * Guards an API with only the public keys of the authorization server.
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
 *   scopes: { 'notes:read': { description: 'See your notes', access: 'read' } },
 *   keys: 'https://auth.example/api/oauth/jwks',
 * })
 * ```
 */
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
  const verify = tokenVerifier(issuer, resource, keys, now)
  const guard: Deciding = {
    metadataUrl,
    anonymous: options.anonymous ?? 'refuse',
    authenticationClasses: checkedClasses('authenticationClasses', options.authenticationClasses ?? []),
    now,
    proofs: options.proofs?.({ resource, now }),
    emit: shielded(options.onEvent as Emit | undefined),
  }
  const liveToken = async (text: string) => {
    const claims = await verify(text)
    // Comes after the signature: only a holder of a valid token causes a request.
    const waiting = ended?.refreshIfOld()
    if (waiting !== undefined) await waiting
    if (ended?.has(claims.jti)) throw new OAuthError(BEARER_ERRORS.bearer_unknown)
    return tokenOf(claims)
  }
  return resourceServer(guard, (request, required, route) =>
    decide(guard, request, { required, route }, liveToken),
  )
}

/** Copies nothing for a plain token of a user, which nearly every request has. */
function tokenOf(claims: VerifiedClaims): AccessToken | ClientCredentialsToken {
  const { sub, client_id: clientId, auth_time: authTime, acr, act, cnf, others } = claims
  const token = {
    grantId: presentedIn(claims.jti).grantId,
    subject: sub,
    clientId,
    scopes: claims.scope === '' ? [] : claims.scope.split(' '),
    resources: [claims.aud],
    issuedAt: claims.iat,
    expiresAt: claims.exp,
    authTime,
    acr,
  }
  const isPlain = (act ?? cnf ?? others) === undefined && sub !== clientId
  if (isPlain) return token
  const more = { ...(act && { act }), ...cnf, ...(others && { claims: others }) }
  // `sub` of a client-credentials token is the client (RFC 9068 2.2). A user with the same id is refused too.
  return sub === clientId ? { ...token, ...more, by: 'client', subject: undefined } : { ...token, ...more }
}

/** The minimum time between two fetches for an unknown `kid`, in milliseconds: any caller can choose a `kid`. */
const COOLDOWN_MS = 30_000
/** Keys that are older are fetched again, in milliseconds. A new key is published twice as long before it signs. */
const KEYS_MAX_AGE_MS = 600_000

interface VerifiedClaims extends AccessTokenClaims {
  readonly others?: UserClaims
}

/**
 * The checks of RFC 9068 4. The function rejects with `invalid_token`, or with 503 if the keys are unavailable: a client must
 * not discard its token then.
 */
function tokenVerifier(issuer: string, audience: string, keys: string | JSONWebKeySet, now: () => number) {
  const keySet = typeof keys === 'string' ? remoteKeys(keys) : createLocalJWKSet(keys)
  const expected = {
    issuer,
    audience,
    typ: ACCESS_TOKEN_TYPE,
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    clockTolerance: CLOCK_TOLERANCE,
  }
  const verified = verifiedOnce({ keyFor: (header) => keySet(header), verify, claimsIn, now })
  return (text: string) => verified(text).catch((error) => refuse(error, text))

  async function verify(text: string) {
    const options = { ...expected, currentDate: new Date(1000 * now()) }
    const { payload, ...result } = await jwtVerify(text, keySet, options)
    const claims = requiredClaims(claimsIn(payload))
    // An `iat` in the future means that a clock is wrong, so `exp` proves nothing.
    if (claims.iat > now() + CLOCK_TOLERANCE) throw new errors.JWTInvalid('iat is in the future')
    return { ...result, claims }
  }
}

const CLAIMS_OF_PROTOCOL = new Set(Object.keys(AccessTokenClaims.shape))

function claimsIn(payload: unknown): VerifiedClaims | undefined {
  const claims = AccessTokenClaims.safeParse(payload).data
  if (claims === undefined) return undefined
  const all = payload as UserClaims
  const others = Object.keys(all).filter((name) => !CLAIMS_OF_PROTOCOL.has(name))
  if (others.length === 0) return claims
  return { ...claims, others: Object.fromEntries(others.map((name) => [name, all[name]])) }
}

function remoteKeys(address: string) {
  // Whoever changes the keys on their way makes tokens.
  if (!isHttpsOrLoopback(address)) throw new Error(`keys: must be an https address, not ${address}`)
  const url = new URL(address)
  return createRemoteJWKSet(url, { cooldownDuration: COOLDOWN_MS, cacheMaxAge: KEYS_MAX_AGE_MS })
}

/** Faults of the token. All other errors are about the keys. */
const TOKEN_FAULTS = [
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWTInvalid,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
]

async function refuse(cause: unknown, text: string): Promise<never> {
  await requireWrongSignature(cause, text)
  const ofToken = TOKEN_FAULTS.some((Fault) => cause instanceof Fault)
  const definition = ofToken ? BEARER_ERRORS.bearer_unknown : JWT_GUARD_ERRORS.keys_unavailable
  throw new OAuthError(definition, undefined, { cause })
}
