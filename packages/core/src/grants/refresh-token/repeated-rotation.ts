import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Grant, RefreshState } from '../../kernel/records.ts'
import { type Secret, sha256 } from '../../kernel/secrets.ts'
import type { Outcome, RefreshTokenSecret } from '../grant.ts'
import { REFRESH_ERRORS } from './refresh-errors.ts'
import type { Extent, Refreshed, RefreshRequest } from './refresh-request.ts'
import type { Repeat } from './token-state.ts'

const ANOTHER_KEY = 'The refresh token was used a moment ago with another key'

/**
 * Gives the answer of the last rotation again. If two callers may hold the token now, the grant remembers it: a thief and
 * the owner then have to come within one retry window of each other, each time, or the grant ends.
 *
 * @throws OAuthError for a request that differs from the one of the rotation
 */
export function repeated(
  grant: Grant,
  refresh: RefreshState,
  { retried, rotation }: Repeat,
  { request, extent }: { readonly request: RefreshRequest; readonly extent: Extent },
  now: number,
): Outcome<Refreshed> {
  const { token, keys, jkt } = request
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
  return shares && refresh.shared === undefined
    ? { kind: 'changed', grant: { ...grant, refresh: { ...refresh, shared: true } }, result }
    : { kind: 'unchanged', grant, result }
}

/** The pair that replaces a refresh token, of the secrets that were derived from it and the salt of its rotation. */
export function successorOf(
  { family, generation }: RefreshTokenSecret,
  [accessToken, secret]: readonly [Secret, Secret],
): { readonly accessToken: Secret; readonly refreshToken: RefreshTokenSecret } {
  return { accessToken, refreshToken: { family, generation: generation + 1, secret } }
}

function sameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
