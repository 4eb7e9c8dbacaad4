import { OAuthError, SERVER_REFUSALS } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import type { Transients } from '../kernel/store.ts'
import { LONGEST_LIFETIME } from './signed-resources.ts'

/** What ended in one minute lies in a few records, so that those who end something at once rarely meet. */
const BUCKET_SECONDS = 60
const SHARDS = 4
/** Later than this no guard honours the token, however late its clock and the note were. */
const KEPT_SECONDS = LONGEST_LIFETIME + 2 * BUCKET_SECONDS
/** More lost races than this are no accident. */
const MOST_ATTEMPTS = 16

/** One bucket of the feed: ids of grants, and `jti` of tokens. */
interface EndedBucket extends Transient {
  readonly kind: 'ended'
  readonly entries: readonly string[]
}

/** What has ended, in transients: a list that everybody can append to by compare-and-swap. */
export function endedBuckets(transients: Transients, now: () => number) {
  return {
    async note(entry: string): Promise<void> {
      const bucket = Math.floor(now() / BUCKET_SECONDS)
      const id = bucketId(bucket, Math.floor(SHARDS * Math.random()))
      const expiresAt = (bucket + 1) * BUCKET_SECONDS + KEPT_SECONDS
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
        if (await append(transients, id, entry, expiresAt)) return
      throw new OAuthError(SERVER_REFUSALS.contention)
    },
    async list(): Promise<string[]> {
      const last = Math.floor(now() / BUCKET_SECONDS)
      const ids = Array.from({ length: KEPT_SECONDS / BUCKET_SECONDS + 1 }, (_, back) => last - back).flatMap(
        (bucket) => Array.from({ length: SHARDS }, (__, shard) => bucketId(bucket, shard)),
      )
      const found = await Promise.all(ids.map((id) => transients.find(id)))
      return found.flatMap((stored) => (stored?.value as EndedBucket | undefined)?.entries ?? [])
    },
  }
}

function bucketId(bucket: number, shard: number): string {
  return `ended.${bucket}.${shard}`
}

async function append(
  transients: Transients,
  id: string,
  entry: string,
  expiresAt: number,
): Promise<boolean> {
  const seen = await transients.find(id)
  const before = (seen?.value as EndedBucket | undefined)?.entries ?? []
  if (before.includes(entry)) return true
  const bucket: EndedBucket = { kind: 'ended', expiresAt, entries: [...before, entry] }
  return seen === undefined
    ? transients.insert(id, bucket, expiresAt)
    : transients.replace(id, seen, bucket, expiresAt)
}
