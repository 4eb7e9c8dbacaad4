/** What a refresh token is to its grant when it is presented: its newest token, or one that was used before. */
import type { Grant, RefreshState, Rotation } from '../kernel/records.ts'
import { sameSecret } from '../kernel/secrets.ts'
import { belongsToFamily, type RefreshTokenSecret, refreshTokenHash } from './grant.ts'
import { type ArrivedRequest, type GrantTerms, type Retry, retryOf } from './grant-terms.ts'

/**
 * The state of a presented token in its grant. `replaced`: a rotation inside the retry window spent it; processes that share
 * tokens do that. `spent`: somebody holds a copy. `unknown`: a guess, or a failed replica lost it.
 */
type TokenState = 'current' | 'replaced' | 'spent' | 'unknown' | Repeat

/** The last rotation spent the token, and its answer is repeated. */
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
  terms: GrantTerms,
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
    const retried = retryOf({ givenAt: rotatedAt, unused }, { arrivedAt }, terms)
    return retried === undefined ? 'spent' : { retried, rotation: previous }
  }
  if (token.generation >= generation || !belongsToFamily(grant, token)) return 'unknown'
  const replaced = rotatedInWindow(refresh, token.generation, arrivedAt, terms.refreshRetryWindow)
  return replaced ? 'replaced' : 'spent'
}

/**
 * Whether this generation was rotated inside the window. Only the family of the token is proven, not its generation: a thief
 * who names a newer one escapes the alarm, as by presenting nothing, and gets nothing.
 *
 * @param arrivedAt when the request arrived
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
  const rotation = known.findLast((entry) => entry.generation <= generation)
  return rotation !== undefined && arrivedAt - rotation.rotatedAt < window
}

/** The maximum number of entries that a grant keeps. */
const MAX_ENTRIES = 8

/**
 * The rotations before the last one that are still inside the retry window, once the current token is rotated too. The
 * rotations of one part of the window share an entry with the time of the last of them, so a time is at most a seventh of
 * the window too late.
 *
 * @returns `undefined` if there are none, as usual
 */
export function recentRotations(
  { generation, previous, recent = [] }: RefreshState,
  now: number,
  window: number,
): Pick<RefreshState, 'recent'> | undefined {
  // The usual case.
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
