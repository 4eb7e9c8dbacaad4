import type { Transient } from '../kernel/records.ts'
import { MAX_SIGNED_LIFETIME } from '../kernel/revocation-log.ts'
import type { Transients } from '../kernel/store.ts'

const MINUTES = MAX_SIGNED_LIFETIME / 60 + 2
const SHARDS = 4

/** What replicas of the release before write during a rolling upgrade: four records a minute. The next release drops it. */
export async function earlierBuckets(transients: Transients, now: number): Promise<string[]> {
  const minute = Math.floor(now / 60)
  const ids = Array.from({ length: (MINUTES + 2) * SHARDS }, (_, at) => {
    return `ended.${minute + 1 - Math.floor(at / SHARDS)}.${at % SHARDS}`
  })
  const found = await Promise.all(ids.map((id) => transients.find(id)))
  return found.flatMap(
    (stored) => (stored?.value as (Transient & { entries: string[] }) | undefined)?.entries ?? [],
  )
}
