import { OAuthError, refusals } from '../../kernel/oauth-error.ts'
import type { Grant, RefreshState, Rotation } from '../../kernel/records.ts'
import { narrowedResources } from '../../kernel/resource-indicator.ts'
import { narrowedScopes } from '../../kernel/scope.ts'
import { type Secret, sha256, twoSecretsOf } from '../../kernel/secrets.ts'
import type { Outage } from '../../kernel/store-outage.ts'
import {
  boundTo,
  type GrantTerms,
  type IssuedTokens,
  newAccessToken,
  type Outcome,
  type RefreshTokenSecret,
  refreshTokenHash,
} from '../grant.ts'
import { withNewest } from '../handed-on-token.ts'
import { tokenState } from './token-state.ts'

export const REFRESH_REFUSALS = refusals({
  refresh_token_unknown: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_expired: ['invalid_grant', 'The refresh token has expired'],
  refresh_token_of_other_client: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_reused: ['invalid_grant', 'The refresh token was used before; its tokens are revoked'],
  refresh_retry_differs: [
    'invalid_grant',
    'The refresh token was used a moment ago for another scope or resource',
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

export interface RefreshRequest {
  readonly token: RefreshTokenSecret
  readonly clientId: string
  /** The method by which the client has authenticated. */
  readonly authMethod?: string | undefined
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only if the token is rotated. */
  readonly salt: string
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
  /** The key for a refresh token that has none yet. */
  readonly refreshKey?: string | undefined
  /** Whether the client keeps its refresh token: whoever copies it cannot prove to be that client. */
  readonly keeps?: boolean | undefined
  /** The last outage of the store: its clients retry when it is over. */
  readonly outage?: Outage | undefined
}

/** The answer of a refresh. It tells whether an earlier answer is sent again, and whether a live access token went. */
export interface Refreshed extends IssuedTokens {
  readonly refreshToken: RefreshTokenSecret
  readonly retried: boolean
  readonly dropped: boolean
}

/**
 * Rotates the refresh token (RFC 6749 6, RFC 9700 4.14.2), unless its client keeps it. The new tokens are derived from the
 * presented token, so a retry inside the window gets the same pair and mints nothing.
 *
 * @throws OAuthError when nothing is consumed
 */
export function rotateRefreshToken(
  grant: Grant,
  request: RefreshRequest,
  now: number,
  times: GrantTerms,
): Outcome<Refreshed> {
  const { refresh } = grant
  const state = tokenState(grant, request, now, times)
  if (refresh === undefined || state === 'unknown')
    throw new OAuthError(REFRESH_REFUSALS.refresh_token_unknown)
  if (request.clientId !== grant.clientId)
    throw new OAuthError(REFRESH_REFUSALS.refresh_token_of_other_client)
  if (now >= refresh.expiresAt) throw new OAuthError(REFRESH_REFUSALS.refresh_token_expired)
  if (refresh.authMethod !== undefined && refresh.authMethod !== request.authMethod)
    throw new OAuthError(REFRESH_REFUSALS.refresh_token_of_other_method)
  // Who lacks the key holds a copy that is worth nothing, and must not end the grant by it.
  if (refresh.jkt !== undefined && refresh.jkt !== request.jkt)
    throw new OAuthError(REFRESH_REFUSALS.refresh_token_of_other_key)
  if (state === 'spent') return { kind: 'ended', refusal: REFRESH_REFUSALS.refresh_token_reused }
  const extent = extentOf(grant, request)
  return state === 'current'
    ? refreshed(grant, refresh, request, extent, now, times)
    : retry(grant, state, request, extent, now)
}

const ANOTHER_KEY = 'The refresh token was used a moment ago with another key'

type Extent = Pick<Grant, 'scopes' | 'resources'>

function extentOf(grant: Grant, request: RefreshRequest): Extent {
  return {
    scopes: narrowedScopes(request.scope, grant.scopes, grant.withheldScopes),
    resources: narrowedResources(request.resources, grant.resources, request.knownResources),
  }
}

function refreshed(
  grant: Grant,
  refresh: RefreshState,
  request: RefreshRequest,
  extent: Extent,
  now: number,
  times: GrantTerms,
): Outcome<Refreshed> {
  const { token, salt, jkt, keeps = false } = request
  const { scopes, resources } = extent
  const { accessToken, refreshToken } = successorOf(token, salt)
  const access = newAccessToken(accessToken, grant, scopes, resources, now, times, jkt)
  const live = grant.accessTokens.filter((issued) => issued.expiresAt > now)
  const { accessTokens, dropped } = withNewest(live, access, times.maxAccessTokens)
  const state = keeps ? refresh : rotated(refresh, refreshToken, request, extent, now)
  const expiresAt = Math.min(now + times.refreshToken, grant.expiresAt)
  return {
    kind: 'changed',
    grant: { ...grant, usedAt: now, accessTokens, refresh: { ...state, expiresAt } },
    result: {
      accessToken,
      refreshToken: keeps ? token : refreshToken,
      scopes,
      resources,
      expiresIn: access.expiresAt - now,
      retried: false,
      dropped,
      jkt,
    },
  }
}

function rotated(
  { familyHash, hash, jkt: key, authMethod }: RefreshState,
  successor: RefreshTokenSecret,
  { salt, jkt, refreshKey }: RefreshRequest,
  { scopes, resources }: Extent,
  now: number,
): Omit<RefreshState, 'expiresAt'> {
  return {
    familyHash,
    generation: successor.generation,
    hash: refreshTokenHash(successor),
    previous: { hash, salt, rotatedAt: now, scopes, resources, ...boundTo(jkt) },
    ...boundTo(key ?? refreshKey),
    ...(authMethod === undefined ? undefined : { authMethod }),
  }
}

function retry(
  grant: Grant,
  last: Rotation,
  { token, jkt }: RefreshRequest,
  extent: Extent,
  now: number,
): Outcome<Refreshed> {
  const same = sameList(extent.scopes, last.scopes) && sameList(extent.resources, last.resources)
  if (!same) throw new OAuthError(REFRESH_REFUSALS.refresh_retry_differs)
  if (last.jkt !== jkt) throw new OAuthError(REFRESH_REFUSALS.refresh_retry_differs, ANOTHER_KEY)
  const successor = successorOf(token, last.salt)
  const access = grant.accessTokens.find((issued) => issued.hash === sha256(successor.accessToken))
  // An access token that was revoked since then stays revoked; 0 tells the client to refresh at once.
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  return {
    kind: 'unchanged',
    grant,
    result: {
      ...successor,
      scopes: last.scopes,
      resources: last.resources,
      expiresIn,
      retried: true,
      dropped: false,
      jkt,
    },
  }
}

/**
 * Derives both tokens from the presented secret and the salt of the rotation, each of fixed length. Nobody can derive
 * them without the secret, and the store holds only its hash.
 */
function successorOf(
  token: RefreshTokenSecret,
  salt: string,
): { accessToken: Secret; refreshToken: RefreshTokenSecret } {
  const [accessToken, secret] = twoSecretsOf(token.secret + salt)
  return { accessToken, refreshToken: { family: token.family, generation: token.generation + 1, secret } }
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
