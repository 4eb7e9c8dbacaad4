import type { Grant, Rotation } from '../../kernel/records.ts'
import { sameSecret } from '../../kernel/secrets.ts'
import { belongsToFamily, type GrantTerms, type RefreshTokenSecret, refreshTokenHash } from '../grant.ts'
import { type ArrivedRequest, type Retry, retryOf } from '../retry-window.ts'
import { rotatedInWindow } from './recent-rotations.ts'

/**
 * The state of a presented token in its grant. `replaced`: a rotation inside the retry window spent it; processes that share
 * tokens do that. `spent`: somebody holds a copy. `unknown`: a guess, or a failed replica lost it.
 */
export type TokenState = 'current' | 'replaced' | 'spent' | 'unknown' | Repeat

/** The last rotation spent the token, and is answered again. */
export interface Repeat {
  readonly retried: Retry
  readonly rotation: Rotation
}

export interface PresentedToken extends ArrivedRequest {
  readonly token: RefreshTokenSecret
}

export function tokenState(
  grant: Grant,
  { token, arrivedAt }: PresentedToken,
  times: GrantTerms,
): TokenState {
  const { refresh, usedAt } = grant
  if (refresh === undefined) return 'unknown'
  const presented = refreshTokenHash(token)
  if (sameSecret(presented, refresh.hash)) return 'current'
  const { previous, generation } = refresh
  if (previous !== undefined && sameSecret(presented, previous.hash)) {
    const { rotatedAt, ofShared = false } = previous
    // A client that keeps its refresh token uses it without a rotation.
    const unused = usedAt === rotatedAt && !ofShared
    const retried = retryOf({ givenAt: rotatedAt, unused }, { arrivedAt }, times)
    return retried === undefined ? 'spent' : { retried, rotation: previous }
  }
  if (token.generation >= generation || !belongsToFamily(grant, token)) return 'unknown'
  const replaced = rotatedInWindow(refresh, token.generation, arrivedAt, times.refreshRetryWindow)
  return replaced ? 'replaced' : 'spent'
}
