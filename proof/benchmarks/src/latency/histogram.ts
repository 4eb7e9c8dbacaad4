/** Each power of two has this many buckets, so a quantile is at most 0.8 % above the value. */
const BUCKETS = 128
const BUCKET_BITS = 7
/** For values below 2^31 µs, which is half an hour. */
const SIZE = BUCKETS * (31 - BUCKET_BITS + 1)

/**
 * How often each latency occurred, in buckets whose width grows with the value: exact below 256 µs, and as small for a second
 * as for a minute. Histograms of rounds add up, which their quantiles do not.
 */
export class Histogram {
  readonly counts: Uint32Array<ArrayBuffer>

  /** @param counts of another histogram, which a thread has sent */
  constructor(counts = new Uint32Array(SIZE)) {
    this.counts = counts
  }

  record(milliseconds: number): void {
    const bucket = bucketOf(Math.max(0, Math.round(milliseconds * 1000)))
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
  }

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0)
  }

  /** @param share such as 0.999 @returns the milliseconds that this share of all values does not exceed, `NaN` if there are none */
  quantile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.count))
    for (const [bucket, count] of this.counts.entries()) {
      left -= count
      if (left <= 0) return highestOf(bucket) / 1000
    }
    return Number.NaN
  }

  static sum(all: readonly Histogram[]): Histogram {
    const sum = new Histogram()
    for (const { counts } of all)
      for (const [bucket, count] of counts.entries()) sum.counts[bucket] = (sum.counts[bucket] ?? 0) + count
    return sum
  }
}

/** Of whole microseconds. */
function bucketOf(value: number): number {
  const capped = Math.min(value, 2 ** 31 - 1)
  if (capped < 2 * BUCKETS) return capped
  const shift = 31 - Math.clz32(capped) - BUCKET_BITS
  return shift * BUCKETS + (capped >>> shift)
}

/** The largest value in a bucket. */
function highestOf(bucket: number): number {
  if (bucket < 2 * BUCKETS) return bucket
  const shift = Math.floor(bucket / BUCKETS) - 1
  return (bucket - shift * BUCKETS + 1) * 2 ** shift - 1
}
