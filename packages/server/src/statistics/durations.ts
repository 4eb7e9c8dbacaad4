/** Upper ends in seconds, from a bearer check without a store lookup to a password check. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** The index of the bucket of a duration; the one after the last for longer durations. */
export function bucketOf(seconds: number): number {
  const index = DURATION_BUCKETS.findIndex((end) => seconds <= end)
  return index === -1 ? DURATION_BUCKETS.length : index
}

/**
 * The duration in seconds that this share of responses did not exceed, interpolated within its bucket as `histogram_quantile`
 * of Prometheus does. The end of the last bucket for longer durations; `undefined` without responses.
 *
 * @param counts by bucket @param share between 0 and 1
 */
export function quantile(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let below = 0
  for (const [index, end] of DURATION_BUCKETS.entries()) {
    const count = counts[index] ?? 0
    if (count > 0 && below + count >= share * total) {
      const begin = DURATION_BUCKETS[index - 1] ?? 0
      return begin + ((end - begin) * (share * total - below)) / count
    }
    below += count
  }
  return DURATION_BUCKETS.at(-1)
}
