const FIRST_MS = 250
const LONGEST_MS = 30_000
const QUIET_MS = 60_000

/**
 * How long to wait before an ended worker is replaced, in milliseconds: twice as long as for the one before, until no worker has
 * ended for a minute.
 *
 * @param now epoch milliseconds, or of any clock
 */
export function backOff(now: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY
  let wait = FIRST_MS
  return () => {
    wait = now() - last > QUIET_MS ? FIRST_MS : Math.min(LONGEST_MS, wait * 2)
    last = now()
    return wait
  }
}
