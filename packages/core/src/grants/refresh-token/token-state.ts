import type { Grant, Rotation } from '../../kernel/records.ts'
import { sameSecret } from '../../kernel/secrets.ts'
import type { Outage } from '../../kernel/store-outage.ts'
import { belongsToFamily, type GrantTerms, type RefreshTokenSecret, refreshTokenHash } from '../grant.ts'
import { mayRetry } from '../retry-window.ts'

/**
 * The state of a presented token in its grant: current, spent by the last rotation (with that rotation), spent earlier,
 * or unknown. An unknown token is a guess, or a failed replica lost it; nobody is to blame. A spent token shows that
 * somebody holds a copy.
 */
export function tokenState(
  grant: Grant,
  { token, outage }: { readonly token: RefreshTokenSecret; readonly outage?: Outage | undefined },
  now: number,
  { refreshRetryWindow }: GrantTerms,
): 'current' | 'spent' | 'unknown' | Rotation {
  if (grant.refresh === undefined) return 'unknown'
  const { hash, previous, generation } = grant.refresh
  const presented = refreshTokenHash(token)
  if (sameSecret(presented, hash)) return 'current'
  const retried = previous !== undefined && sameSecret(presented, previous.hash)
  if (retried && mayRetry(previous.rotatedAt, refreshRetryWindow, outage, now)) return previous
  return token.generation < generation && belongsToFamily(grant, token) ? 'spent' : 'unknown'
}
