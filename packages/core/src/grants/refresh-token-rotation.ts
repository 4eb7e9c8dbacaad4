import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Grant, RefreshState } from '../kernel/records.ts'
import { narrowedResources } from '../kernel/resource-indicator.ts'
import { narrowedScopes } from '../kernel/scope.ts'
import { type Secret, sha256 } from '../kernel/secrets.ts'
import type { SuccessorKeys } from '../kernel/server-secret.ts'
import { boundTo, newAccessToken, withNewest } from './access-tokens.ts'
import { type IssuedTokens, type Outcome, type RefreshTokenSecret, refreshTokenHash } from './grant.ts'
import type { GrantTerms } from './grant-terms.ts'
import { type PresentedToken, type Repeat, recentRotations, tokenState } from './refresh-token-reuse.ts'

export const REFRESH_ERRORS = defineErrors({
  refresh_token_unknown: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_expired: ['invalid_grant', 'The refresh token has expired'],
  refresh_token_of_other_client: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_replaced: [
    'invalid_grant',
    'The refresh token was replaced a moment ago; use the newest one',
  ],
  refresh_token_reused: ['invalid_grant', 'The refresh token was used before; its tokens are revoked'],
  refresh_retry_differs: [
    'invalid_grant',
    'The refresh token was used a moment ago for another scope or resource',
  ],
  refresh_retry_key_gone: [
    'invalid_grant',
    'The refresh token was used before, and its answer cannot be given again; ask the user again',
  ],
  client_changed: [
    'invalid_grant',
    'The application has changed since its user allowed it; ask the user again',
  ],
  refresh_token_of_other_key: [
    'invalid_dpop_proof',
    'The refresh needs a DPoP proof of the key of its token',
  ],
  refresh_token_of_other_method: [
    'invalid_client',
    'The client must authenticate by the method with which it got the first token',
  ],
})

export interface RefreshRequest extends PresentedToken {
  readonly clientId: string
  /** The method by which the client has authenticated. */
  readonly authMethod?: string | undefined
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only if the token is rotated. */
  readonly salt: string
  readonly keys: SuccessorKeys
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
  /** The key for a refresh token that has none yet. */
  readonly refreshKey?: string | undefined
  /** Whether the client keeps its refresh token: a copy is useless without the authentication of the client. */
  readonly keeps?: boolean | undefined
}

/** The answer to a refresh, and whether a live access token was removed. */
export interface Refreshed extends IssuedTokens {
  readonly refreshToken: RefreshTokenSecret
  readonly dropped: boolean
}

/** A refresh that is allowed: the request, and what the new access token may do, and where. */
interface Refresh extends Pick<Grant, 'scopes' | 'resources'> {
  readonly request: RefreshRequest
  readonly now: number
}

/**
 * Rotates the refresh token (RFC 6749 6, RFC 9700 4.14.2), unless its client keeps it. The new tokens are derived from the
 * presented token, so a retry gets the same pair and mints nothing.
 *
 * @throws OAuthError when nothing is consumed
 */
export function rotateRefreshToken(
  grant: Grant,
  request: RefreshRequest,
  now: number,
  terms: GrantTerms,
): Outcome<Refreshed> {
  const { refresh: current } = grant
  const state = tokenState(grant, request, terms)
  if (current === undefined || state === 'unknown') throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  if (request.clientId !== grant.clientId) throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_client)
  if (now >= current.expiresAt) throw new OAuthError(REFRESH_ERRORS.refresh_token_expired)
  if (current.authMethod !== undefined && current.authMethod !== request.authMethod)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_method)
  // A copy is useless without the key, and must not end the grant.
  if (current.jkt !== undefined && current.jkt !== request.jkt)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_key)
  if (state === 'replaced') throw new OAuthError(REFRESH_ERRORS.refresh_token_replaced)
  if (state === 'spent') return { kind: 'ended', refusal: REFRESH_ERRORS.refresh_token_reused }
  const refresh: Refresh = {
    request,
    now,
    scopes: narrowedScopes(request.scope, grant.scopes, grant.withheldScopes),
    resources: narrowedResources(request.resources, grant.resources, request.knownResources),
  }
  return state === 'current'
    ? refreshed(grant, current, refresh, terms)
    : repeated(grant, current, refresh, state)
}

function refreshed(
  grant: Grant,
  current: RefreshState,
  refresh: Refresh,
  terms: GrantTerms,
): Outcome<Refreshed> {
  const { request, now, scopes, resources } = refresh
  const { token, salt, keys, jkt, keeps = false } = request
  const { accessToken, refreshToken } = successorOf(token, keys.derive(token.secret + salt))
  const access = newAccessToken(grant, { secret: accessToken, scopes, resources, jkt }, now, terms)
  const live = grant.accessTokens.filter((issued) => issued.expiresAt > now)
  const { accessTokens, dropped } = withNewest(live, access, terms.maxAccessTokens)
  const recent = keeps ? undefined : recentRotations(current, now, terms.refreshRetryWindow)
  const state = keeps ? current : rotated(current, refreshToken, refresh)
  const expiresAt = Math.min(now + terms.refreshToken, grant.expiresAt)
  return {
    kind: 'changed',
    grant: { ...grant, usedAt: now, accessTokens, refresh: { ...state, ...recent, expiresAt } },
    result: {
      accessToken,
      refreshToken: keeps ? token : refreshToken,
      scopes,
      resources,
      expiresIn: access.expiresAt - now,
      dropped,
      jkt,
    },
  }
}

function rotated(
  { familyHash, hash, jkt: key, authMethod, shared }: RefreshState,
  successor: RefreshTokenSecret,
  { request: { salt, keys, jkt, refreshKey }, now, scopes, resources }: Refresh,
): Omit<RefreshState, 'expiresAt'> {
  return {
    familyHash,
    generation: successor.generation,
    hash: refreshTokenHash(successor),
    previous: {
      hash,
      salt,
      keyId: keys.keyId,
      rotatedAt: now,
      scopes,
      resources,
      ...boundTo(jkt),
      ...(shared && { ofShared: shared }),
    },
    ...boundTo(key ?? refreshKey),
    ...(authMethod === undefined ? undefined : { authMethod }),
  }
}

/** The pair that replaces a refresh token, of the secrets that were derived from it and the salt of its rotation. */
function successorOf(
  { family, generation }: RefreshTokenSecret,
  [accessToken, secret]: readonly [Secret, Secret],
): { readonly accessToken: Secret; readonly refreshToken: RefreshTokenSecret } {
  return { accessToken, refreshToken: { family, generation: generation + 1, secret } }
}

const ANOTHER_KEY = 'The refresh token was used a moment ago with another key'

/**
 * Repeats the answer of the last rotation. If two callers may hold the token, the grant remembers it: a thief and the owner
 * then have to come within one retry window of each other, each time, or the grant ends.
 *
 * @throws OAuthError for a request that differs from the one of the rotation
 */
function repeated(
  grant: Grant,
  current: RefreshState,
  { request: { token, keys, jkt }, now, ...extent }: Refresh,
  { retried, rotation }: Repeat,
): Outcome<Refreshed> {
  const { scopes, resources } = rotation
  if (!sameList(extent.scopes, scopes) || !sameList(extent.resources, resources))
    throw new OAuthError(REFRESH_ERRORS.refresh_retry_differs)
  if (rotation.jkt !== jkt) throw new OAuthError(REFRESH_ERRORS.refresh_retry_differs, ANOTHER_KEY)
  const derived = keys.deriveAgain(token.secret + rotation.salt, rotation.keyId)
  if (derived === undefined) throw new OAuthError(REFRESH_ERRORS.refresh_retry_key_gone)
  const successor = successorOf(token, derived)
  const access = grant.accessTokens.find((issued) => issued.hash === sha256(successor.accessToken))
  // An access token that was revoked since then stays revoked; 0 tells the client to refresh at once.
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  const result = { ...successor, scopes, resources, expiresIn, retried, dropped: false, jkt }
  const shares = retried === 'late' || rotation.ofShared === true
  return shares && current.shared === undefined
    ? { kind: 'changed', grant: { ...grant, refresh: { ...current, shared: true } }, result }
    : { kind: 'unchanged', grant, result }
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
