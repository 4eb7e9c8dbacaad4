import { OAuthError, SERVER_REFUSALS } from '../kernel/oauth-error.ts'
import type { Transient } from '../kernel/records.ts'
import type { Transients } from '../kernel/store.ts'
import { LONGEST_LIFETIME } from './signed-resources.ts'

/** What ended in one minute lies in a few records, so that those who end something at once rarely meet. */
const BUCKET_SECONDS = 60
const SHARDS = 4
/** Later than this no guard honours the token, however late its clock and the note were. */
const KEPT_SECONDS = LONGEST_LIFETIME + 2 * BUCKET_SECONDS
/** More lost races than this are no accident: only another process takes part in them. */
const MOST_ATTEMPTS = 16

/** One bucket of the feed: ids of grants, and `jti` of tokens. */
interface EndedBucket extends Transient {
  readonly kind: 'ended'
  readonly entries: readonly string[]
}

/** What has ended, in transients: a list that everybody can append to by compare-and-swap. */
export function endedBuckets(transients: Transients, now: () => number) {
  let gathered: { readonly entries: string[]; readonly written: Promise<void> } | undefined
  let lastWrite: Promise<unknown> = Promise.resolve()

  async function write(entries: readonly string[]): Promise<void> {
    const bucket = Math.floor(now() / BUCKET_SECONDS)
    const id = bucketId(bucket, Math.floor(SHARDS * Math.random()))
    const expiresAt = (bucket + 1) * BUCKET_SECONDS + KEPT_SECONDS
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
      if (await append(transients, id, entries, expiresAt)) return
    throw new OAuthError(SERVER_REFUSALS.contention)
  }

  /** What ends while a write is under way goes into the next one together. */
  function nextWrite() {
    const entries: string[] = []
    const written = lastWrite.then(() => {
      gathered = undefined
      return write(entries)
    })
    lastWrite = written.catch(() => {})
    return { entries, written }
  }

  return {
    /** Resolves when it is stored. */
    note(entry: string): Promise<void> {
      gathered ??= nextWrite()
      gathered.entries.push(entry)
      return gathered.written
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
  entries: readonly string[],
  expiresAt: number,
): Promise<boolean> {
  const seen = await transients.find(id)
  const before = (seen?.value as EndedBucket | undefined)?.entries ?? []
  const bucket: EndedBucket = { kind: 'ended', expiresAt, entries: [...new Set([...before, ...entries])] }
  return seen === undefined
    ? transients.insert(id, bucket, expiresAt)
    : transients.replace(id, seen, bucket, expiresAt)
}
