/**
 * What is counted: `event` by its type, `reason` of a refused request, `known_client_off` by the id of the refused client, `response`
 * by its route and its duration.
 */
export type StatisticName = 'event' | 'reason' | 'known_client_off' | 'response'

/** How often something happened. */
interface Counted {
  readonly name: StatisticName
  readonly label: string
  /** Of the duration of a response; 0 for everything else. */
  readonly bucket: number
  readonly count: number
}

/** Counts in memory: an addition is two lookups. */
export interface Counts {
  add(name: StatisticName, label: string, bucket?: number): void
  /** Everything since the last call. */
  take(): Counted[]
}

/** Labels are event types, reasons and routes; a feature may bring more. No caller can fill the memory. */
const MAX_LABELS = 500
const OTHER = 'other'

export function newCounts(): Counts {
  let counts = new Map<StatisticName, Map<string, number[]>>()

  function newBuckets(name: StatisticName, label: string): number[] {
    const labels = counts.get(name) ?? new Map<string, number[]>()
    counts.set(name, labels)
    const kept = labels.size < MAX_LABELS ? label : OTHER
    const buckets = labels.get(kept) ?? []
    labels.set(kept, buckets)
    return buckets
  }

  return {
    add(name, label, bucket = 0) {
      const buckets = counts.get(name)?.get(label) ?? newBuckets(name, label)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    },
    take() {
      const taken = [...counts].flatMap(([name, labels]) =>
        [...labels].flatMap(([label, buckets]) =>
          // A bucket without a response is a hole, which `flatMap` skips.
          buckets.flatMap((count, bucket) => [{ name, label, bucket, count }]),
        ),
      )
      counts = new Map()
      return taken
    },
  }
}
