/** Failures of the store with at most this many seconds between them are one outage. */
const LONGEST_PAUSE = 60
/** An outage counts for at most this long, in seconds: a store that always fails a little must not open a window for ever. */
const LONGEST_OUTAGE = 3600

/** Epoch seconds. */
export interface Outage {
  readonly start: number
  /** The last failure so far. */
  readonly end: number
}

/** The last outage of the store that this process saw. Answers were lost in it, and clients wait until it is over. */
export interface StoreOutages {
  /** The store failed. */
  seen(): void
  last(): Outage | undefined
}

export function storeOutages(now: () => number): StoreOutages {
  let last: Outage | undefined
  return {
    seen() {
      const end = now()
      const start = last !== undefined && end - last.end <= LONGEST_PAUSE ? last.start : end
      last = { start: Math.max(start, end - LONGEST_OUTAGE), end }
    },
    last: () => last,
  }
}
