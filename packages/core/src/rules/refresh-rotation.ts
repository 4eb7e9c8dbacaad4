import { sameSecret, sha256 } from '../secrets.ts'
import type { Grant, RefreshState, Rotation } from '../store.ts'
import {
  type GrantTimes,
  type IssuedTokens,
  newAccessToken,
  type Outcome,
  type RefreshTokenSecret,
  refused,
} from './grant.ts'
import { narrowedResources } from './resource-indicator.ts'
import { narrowedScopes } from './scope.ts'

/** More live access tokens than this would only be forgotten ones; the oldest goes. */
const MOST_ACCESS_TOKENS = 8

export interface RefreshRequest {
  readonly token: RefreshTokenSecret
  readonly clientId: string
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness for this rotation, should it happen. */
  readonly salt: string
}

/** What a rotation answers, and whether it is the answer of an earlier one given again. */
export interface Refreshed extends IssuedTokens {
  readonly refreshToken: RefreshTokenSecret
  readonly retried: boolean
}

/**
 * Rotates the refresh token (RFC 6749 6, RFC 9700 4.14.2). The successors are derived from the presented token,
 * so a retry inside the window gets the same pair again and nothing new is minted.
 */
export function rotateRefreshToken(
  grant: Grant,
  request: RefreshRequest,
  now: number,
  times: GrantTimes,
): Outcome<Refreshed> {
  const { refresh } = grant
  const { token } = request
  if (refresh === undefined || !sameSecret(sha256(token.family), refresh.familyHash))
    return refused('refresh_token_unknown')
  if (request.clientId !== grant.clientId) return refused('refresh_token_of_other_client')
  if (now >= refresh.expiresAt) return refused('refresh_token_expired')
  const hash = sha256(token.secret)
  const current = sameSecret(hash, refresh.hash)
  const last = refresh.previous
  const retriable =
    last !== undefined && sameSecret(hash, last.hash) && now - last.rotatedAt < times.refreshRetryWindow
  if (!current && !retriable) {
    // The family is genuine. An older generation was spent, so somebody holds a copy; one that this store never
    // heard of was lost with a failed replica, which is nobody's fault.
    return token.generation < refresh.generation
      ? { kind: 'ended', reason: 'refresh_token_reused' }
      : refused('refresh_token_unknown')
  }
  const scopes = narrowedScopes(request.scope, grant.scopes)
  if (typeof scopes === 'string') return refused(scopes)
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (typeof resources === 'string') return refused(resources)
  return current
    ? rotate(grant, refresh, request, { scopes, resources }, now, times)
    : retry(grant, refresh, token, { scopes, resources }, now)
}

interface Extent {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

function rotate(
  grant: Grant,
  refresh: RefreshState,
  { token, salt }: RefreshRequest,
  { scopes, resources }: Extent,
  now: number,
  times: GrantTimes,
): Outcome<Refreshed> {
  const successor = successorOf(token, salt)
  const access = newAccessToken(successor.accessToken, grant, scopes, resources, now, times)
  const live = grant.accessTokens.filter((issued) => issued.expiresAt > now)
  const next: Grant = {
    ...grant,
    usedAt: now,
    accessTokens: [...live.slice(1 - MOST_ACCESS_TOKENS), access],
    refresh: {
      familyHash: refresh.familyHash,
      generation: successor.refreshToken.generation,
      hash: sha256(successor.refreshToken.secret),
      expiresAt: Math.min(now + times.refreshToken, grant.expiresAt),
      previous: { hash: refresh.hash, salt, rotatedAt: now, scopes, resources },
    },
  }
  return {
    kind: 'changed',
    grant: next,
    result: { ...successor, scopes, expiresIn: access.expiresAt - now, retried: false },
  }
}

function retry(
  grant: Grant,
  refresh: RefreshState,
  token: RefreshTokenSecret,
  extent: Extent,
  now: number,
): Outcome<Refreshed> {
  const last = refresh.previous as Rotation
  const same = sameList(extent.scopes, last.scopes) && sameList(extent.resources, last.resources)
  if (!same) return refused('refresh_retry_differs')
  const successor = successorOf(token, last.salt)
  const access = grant.accessTokens.find((issued) => issued.hash === sha256(successor.accessToken))
  // An access token that was revoked meanwhile stays dead; 0 tells the client to refresh at once.
  const expiresIn = Math.max((access?.expiresAt ?? now) - now, 0)
  return { kind: 'unchanged', grant, result: { ...successor, scopes: last.scopes, expiresIn, retried: true } }
}

/**
 * SHA-256 over a label, the presented secret and the salt of the rotation, each of fixed length. Whoever lacks the
 * presented secret can derive nothing, and a store holds only its hash.
 */
function successorOf(
  token: RefreshTokenSecret,
  salt: string,
): { accessToken: string; refreshToken: RefreshTokenSecret } {
  const derive = (label: 'access..' | 'refresh.') => sha256(label + token.secret + salt)
  return {
    accessToken: derive('access..'),
    refreshToken: { family: token.family, generation: token.generation + 1, secret: derive('refresh.') },
  }
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
