/** The refresh token of a grant: the newest one, and earlier ones. */
import { defineErrors, OAuthError, ownedBy, withCode } from '../kernel/oauth-error.ts'
import type { Client, Grant, RefreshState, Rotation } from '../kernel/records.ts'
import { type Hash, type Secret, sameSecret, sha256 } from '../kernel/secrets.ts'
import { type ArrivedRequest, type GrantTerms, type Retry, retryOf } from './grant-terms.ts'

export const REFRESH_ERRORS = defineErrors({
  ...withCode('invalid_grant', {
    refresh_token_unknown: 'The refresh token is not valid. The user must authorize again',
    refresh_token_expired: 'The refresh token has expired. The user must authorize again',
    refresh_token_of_other_client: 'The refresh token is not valid. The user must authorize again',
    refresh_token_replaced: 'The refresh token was replaced a moment ago. Use the newest one',
    refresh_token_reused:
      'The refresh token was used before, so its tokens are revoked. The user must authorize again',
    refresh_retry_differs:
      'The refresh token was used a moment ago for another scope or resource. Use the newest one',
    refresh_retry_key_gone:
      'The refresh token was used before, and its answer cannot be repeated. The user must authorize again',
    client_changed: 'The client has changed since the user allowed it. The user must authorize again',
  }),
  refresh_token_of_other_key: [
    'invalid_dpop_proof',
    'The refresh token is bound to a key. Send a DPoP proof of this key',
  ],
  refresh_token_of_other_method: [
    'invalid_client',
    'The client must use the authentication method with which it got its first token',
  ],
})

/** The parts of a refresh token: its family, the number of rotations before it, and its own secret. */
export interface RefreshTokenSecret {
  readonly family: string
  readonly generation: number
  readonly secret: Secret
}

/** The stored hash of a refresh token. It covers all parts, so none can be swapped. */
function refreshTokenHash({ family, generation, secret }: RefreshTokenSecret): Hash {
  return sha256(`${family}.${generation}.${secret}`)
}

/** Whether a refresh token is the live one of its grant. */
export function isCurrentRefreshToken(grant: Grant, token: RefreshTokenSecret, now: number): boolean {
  const { refresh } = grant
  return refresh !== undefined && sameSecret(refresh.hash, refreshTokenHash(token)) && refresh.expiresAt > now
}

/** Whether a refresh token is, or ever was, a token of this grant: enough to end it. */
export function belongsToFamily(grant: Grant, token: RefreshTokenSecret): boolean {
  return grant.refresh !== undefined && sameSecret(grant.refresh.familyHash, sha256(token.family))
}

/** @param jkt the thumbprint of the key that the request proves */
export function firstRefreshState(
  token: RefreshTokenSecret,
  client: Client,
  expiresAt: number,
  jkt: string | undefined,
): RefreshState {
  const { origin, tokenEndpointAuthMethod: method } = client
  const key = keyOfRefreshToken(client, jkt)
  return {
    familyHash: sha256(token.family),
    generation: token.generation,
    hash: refreshTokenHash(token),
    expiresAt,
    ...(key && { jkt: key }),
    // A document may name several methods, and drop one later: a grant that began with a proof goes on with one.
    ...(origin === 'document' && method !== 'none' && { authMethod: method }),
  }
}

/** The key of a refresh token: of a public client alone. A confidential client authenticates at each refresh (RFC 9449 5). */
function keyOfRefreshToken(client: Client, jkt: string | undefined): string | undefined {
  return client.tokenEndpointAuthMethod === 'none' ? jkt : undefined
}

/** A rotation of the newest refresh token, by the client whose token it is. */
interface NewRotation extends Omit<Rotation, 'hash' | 'ofShared'> {
  readonly client: Client
}

/** The state after a rotation. @param window the retry window in seconds */
export function rotatedState(
  current: RefreshState,
  successor: RefreshTokenSecret,
  { client, salt, keyId, rotatedAt, scopes, resources, jkt }: NewRotation,
  window: number,
): Omit<RefreshState, 'expiresAt'> {
  const { familyHash, hash, authMethod, shared } = current
  const ofShared = shared && { ofShared: shared }
  const key = current.jkt ?? keyOfRefreshToken(client, jkt)
  return {
    familyHash,
    generation: successor.generation,
    previous: { hash, salt, keyId, rotatedAt, scopes, resources, ...(jkt && { jkt }), ...ofShared },
    ...(key && { jkt: key }),
    ...(authMethod === undefined ? undefined : { authMethod }),
    ...recentRotations(current, rotatedAt, window),
    hash: refreshTokenHash(successor),
  }
}

/**
 * The state of a presented token in its grant: the stored state for the newest token. `replaced`: a rotation inside the retry
 * window spent it, as processes do that share tokens. `spent`: another caller may hold a copy. `unknown`: a guess, or a token
 * that a failed replica of the store lost.
 */
type TokenState = RefreshState | 'replaced' | 'spent' | 'unknown' | Repeat

/** The last rotation spent the token, and its answer is repeated. */
export interface Repeat {
  readonly retried: Retry
  readonly rotation: Rotation
  readonly refresh: RefreshState
}

export interface PresentedRefreshToken extends ArrivedRequest {
  readonly token: RefreshTokenSecret
  /** The authenticated client. */
  readonly client: Client
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/** The state of a token that its client may use. @throws OAuthError for any other token */
export function usableState(
  grant: Grant,
  request: PresentedRefreshToken,
  now: number,
  terms: GrantTerms,
): RefreshState | Repeat | 'spent' {
  const { client, jkt } = request
  const { refresh } = grant
  const state = tokenState(grant, request, terms)
  if (refresh === undefined || state === 'unknown') throw new OAuthError(REFRESH_ERRORS.refresh_token_unknown)
  if (client.clientId !== grant.clientId)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_client, undefined, ownedBy(grant))
  if (now >= refresh.expiresAt) throw new OAuthError(REFRESH_ERRORS.refresh_token_expired)
  if (refresh.authMethod !== undefined && refresh.authMethod !== client.tokenEndpointAuthMethod)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_method)
  // A copy is useless without the key, and must not end the grant.
  if (refresh.jkt !== undefined && refresh.jkt !== jkt)
    throw new OAuthError(REFRESH_ERRORS.refresh_token_of_other_key)
  if (state === 'replaced') throw new OAuthError(REFRESH_ERRORS.refresh_token_replaced)
  return state
}

export function tokenState(
  grant: Grant,
  { token, arrivedAt }: ArrivedRequest & { readonly token: RefreshTokenSecret },
  terms: GrantTerms,
): TokenState {
  const { refresh, usedAt } = grant
  if (refresh === undefined) return 'unknown'
  const presented = refreshTokenHash(token)
  if (sameSecret(presented, refresh.hash)) return refresh
  const { previous, generation } = refresh
  if (previous !== undefined && sameSecret(presented, previous.hash)) {
    const { rotatedAt, ofShared = false } = previous
    // A client that keeps its refresh token uses it without a rotation.
    const unused = usedAt === rotatedAt && !ofShared
    const retried = retryOf({ givenAt: rotatedAt, unused }, { arrivedAt }, terms)
    return retried === undefined ? 'spent' : { retried, rotation: previous, refresh }
  }
  if (token.generation >= generation || !belongsToFamily(grant, token)) return 'unknown'
  const replaced = rotatedInWindow(refresh, token.generation, arrivedAt, terms.refreshRetryWindow)
  return replaced ? 'replaced' : 'spent'
}

/**
 * Whether this generation was rotated inside the window. Only the family of the token is proven, not its generation: an
 * attacker who names a newer one does not end the grant, but gets nothing either.
 */
function rotatedInWindow(
  { generation: current, previous, recent = [] }: RefreshState,
  generation: number,
  arrivedAt: number,
  window: number,
): boolean {
  if (previous === undefined || window === 0) return false
  const { rotatedAt } = previous
  // When the request arrived, a rotation that is forgotten since may have been yet to come.
  if (arrivedAt < rotatedAt) return true
  const known = [...recent, { generation: current - 1, rotatedAt }]
  const spentBy = known.findLast((entry) => entry.generation <= generation)
  return spentBy !== undefined && arrivedAt - spentBy.rotatedAt < window
}

const MAX_ENTRIES = 8

/**
 * The rotations before the last one that are still inside the retry window, once the current token is rotated too. The
 * rotations of one part of the window share an entry with the time of the last of them, so a time is at most a seventh of
 * the window too late.
 *
 * @returns `undefined` if there are none, as usual
 */
function recentRotations(
  { generation, previous, recent = [] }: RefreshState,
  now: number,
  window: number,
): Pick<RefreshState, 'recent'> | undefined {
  if (previous === undefined || (recent.length === 0 && now - previous.rotatedAt >= window)) return undefined
  const part = Math.ceil(window / (MAX_ENTRIES - 1))
  const last = { generation: generation - 1, rotatedAt: previous.rotatedAt }
  const before = recent.at(-1)
  // Parts are fixed in time: an entry that moved with each rotation would never leave the window.
  const joins =
    before !== undefined && Math.floor(before.rotatedAt / part) === Math.floor(last.rotatedAt / part)
  const entries = joins
    ? [...recent.slice(0, -1), { ...last, generation: before.generation }]
    : [...recent, last]
  const inWindow = entries.filter(({ rotatedAt }) => now - rotatedAt < window)
  return inWindow.length === 0 ? undefined : { recent: inWindow.slice(-MAX_ENTRIES) }
}
