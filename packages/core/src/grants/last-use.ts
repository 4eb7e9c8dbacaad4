/** The last use of a personal access token, which its user sees in the list: the time and the network. */
import type { HttpRequest } from '../http/http.ts'
import type { Emit } from '../kernel/events.ts'
import type { Grant } from '../kernel/records.ts'
import type { GrantRecords, Stored } from '../kernel/store.ts'
import { coarseNetworkOf } from '../limits/caller-network.ts'
import { keptUntil } from './change-grant.ts'

/** A personal access token is in use and ends within 7 days. Once for a token; never for one that was made for 7 days or less. */
export interface PersonalTokenExpiring {
  readonly type: 'personal_token_expiring'
  readonly subject: string
  readonly grantId: string
  readonly label: string
  readonly expiresAt: number
}

/** What a guard has. */
interface UseRecorder {
  readonly grants: GrantRecords
  readonly emit: Emit
}

/** Seconds between two writes for one token. */
const INTERVAL = 60 * 60
const EXPIRING = 7 * 24 * 60 * 60

/** One write of a token at a time: a store that is slow or down gets no second one. */
const writing = new Set<Grant['id']>()

/**
 * Stores the use of a personal access token, at most once an hour. The request does not wait for it, and a failing write refuses
 * nothing: the next use repeats it.
 *
 * @param seen as the guard has read it: of several writes at once, one succeeds
 */
export function recordUse(
  guard: UseRecorder,
  seen: Stored<Grant>,
  { remoteAddress }: Pick<HttpRequest, 'remoteAddress'>,
  now: number,
): void {
  const { id, createdAt, usedAt } = seen.value
  const isUnused = usedAt === createdAt
  if (writing.has(id) || (now < usedAt + INTERVAL && !isUnused)) return
  const network = remoteAddress === undefined ? undefined : coarseNetworkOf(remoteAddress)
  writing.add(id)
  // Later than its creation, which would mean that it is unused.
  const used = { ...seen.value, usedAt: Math.max(now, createdAt + 1), network }
  void write(guard, seen, used).finally(() => writing.delete(id))
}

async function write({ grants, emit }: UseRecorder, seen: Stored<Grant>, used: Grant): Promise<void> {
  const { id, subject = '', label = '', expiresAt } = used
  const written = await grants.replace(id, seen, used, keptUntil(used)).catch(() => false)
  const soon = expiresAt - EXPIRING
  // Only the first write after that moment, of only one process.
  if (written && seen.value.usedAt < soon && used.usedAt >= soon)
    emit({
      type: 'personal_token_expiring',
      ...{ subject, grantId: id, label, expiresAt },
    } satisfies PersonalTokenExpiring)
}
