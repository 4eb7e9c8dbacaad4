/**
 * The moments at which requests start: a Poisson process, as of many users who do not know of each other. The same seed gives
 * the same moments, so that all targets meet the same crowds.
 *
 * @param rate requests per second
 * @returns milliseconds after the start, in order
 */
export function poissonArrivals(rate: number, seconds: number, seed: number): Float64Array {
  const random = randomFrom(seed)
  const arrivals: number[] = []
  for (let at = gap(); at < seconds * 1000; at += gap()) arrivals.push(at)
  return Float64Array.from(arrivals)

  function gap(): number {
    return (-Math.log(1 - random()) / rate) * 1000
  }
}

/** Mulberry32: numbers from 0 to 1, without 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
