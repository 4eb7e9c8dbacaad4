import type { Grant, Rotation } from '../../kernel/records.ts'
import { sameSecret } from '../../kernel/secrets.ts'
import type { Outage } from '../../kernel/store-outage.ts'
import { belongsToFamily, type GrantTerms, type RefreshTokenSecret, refreshTokenHash } from '../grant.ts'

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
  if (retried && now - windowStart(previous, outage, refreshRetryWindow) < refreshRetryWindow) return previous
  return token.generation < generation && belongsToFamily(grant, token) ? 'spent' : 'unknown'
}

/** The rotation; or the end of an outage soon after it, for a client that waited with its retry as it was told. */
function windowStart({ rotatedAt }: Rotation, outage: Outage | undefined, window: number): number {
  const mayBeLost = outage !== undefined && rotatedAt > outage.start - window && rotatedAt < outage.end
  return mayBeLost ? outage.end : rotatedAt
}
