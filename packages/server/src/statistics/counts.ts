/**
 * What is counted: `event` by its type, `reason` of a refused request, `known_client_off` by the id of the refused client, `response`
 * by its route and its duration.
 */
export type StatisticName = 'event' | 'reason' | 'known_client_off' | 'response'

/** How often something happened. */
export interface Counted {
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

  function labelsOf(name: StatisticName): Map<string, number[]> {
    const known = counts.get(name) ?? new Map<string, number[]>()
    counts.set(name, known)
    return known
  }

  return {
    add(name, label, bucket = 0) {
      const labels = labelsOf(name)
      const kept = labels.has(label) || labels.size < MAX_LABELS ? label : OTHER
      const buckets = labels.get(kept) ?? []
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      labels.set(kept, buckets)
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
