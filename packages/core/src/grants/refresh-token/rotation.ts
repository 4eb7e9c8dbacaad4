import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Grant, RefreshState } from '../../kernel/records.ts'
import { narrowedResources } from '../../kernel/resource-indicator.ts'
import { narrowedScopes } from '../../kernel/scope.ts'
import { withNewest } from '../exchanged-token.ts'
import {
  boundTo,
  type GrantTerms,
  newAccessToken,
  type Outcome,
  type RefreshTokenSecret,
  refreshTokenHash,
} from '../grant.ts'
import { recentRotations } from './recent-rotations.ts'
import { REFRESH_ERRORS } from './refresh-errors.ts'
import type { Extent, Refreshed, RefreshRequest } from './refresh-request.ts'
import { repeated, successorOf } from './repeated-rotation.ts'
import { tokenState } from './token-state.ts'

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
  times: GrantTerms,
): Outcome<Refreshed> {
  const { refresh } = grant
  const state = tokenState(grant, request, times)
  if (refresh === undefined || state === 'unknown') throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  if (request.clientId !== grant.clientId) throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_client)
  if (now >= refresh.expiresAt) throw new OAuthError(REFRESH_ERRORS.refresh_token_expired)
  if (refresh.authMethod !== undefined && refresh.authMethod !== request.authMethod)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_method)
  // Who lacks the key holds a copy that is worth nothing, and must not end the grant by it.
  if (refresh.jkt !== undefined && refresh.jkt !== request.jkt)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_key)
  if (state === 'replaced') throw new OAuthError(REFRESH_ERRORS.refresh_token_replaced)
  if (state === 'spent') return { kind: 'ended', refusal: REFRESH_ERRORS.refresh_token_reused }
  const extent = extentOf(grant, request)
  return state === 'current'
    ? refreshed(grant, refresh, request, extent, now, times)
    : repeated(grant, refresh, state, { request, extent }, now)
}

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
  const { token, salt, keys, jkt, keeps = false } = request
  const { scopes, resources } = extent
  const { accessToken, refreshToken } = successorOf(token, keys.derive(token.secret + salt))
  const access = newAccessToken(accessToken, grant, scopes, resources, now, times, jkt)
  const live = grant.accessTokens.filter((issued) => issued.expiresAt > now)
  const { accessTokens, dropped } = withNewest(live, access, times.maxAccessTokens)
  const recent = keeps ? undefined : recentRotations(refresh, now, times.refreshRetryWindow)
  const state = keeps ? refresh : rotated(refresh, refreshToken, request, extent, now)
  const expiresAt = Math.min(now + times.refreshToken, grant.expiresAt)
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
  { salt, keys: { keyId }, jkt, refreshKey }: RefreshRequest,
  { scopes, resources }: Extent,
  now: number,
): Omit<RefreshState, 'expiresAt'> {
  return {
    familyHash,
    generation: successor.generation,
    hash: refreshTokenHash(successor),
    previous: {
      hash,
      salt,
      keyId,
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
