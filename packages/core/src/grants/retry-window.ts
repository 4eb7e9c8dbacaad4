import type { Outage } from '../kernel/store-outage.ts'

/**
 * Whether the same answer may be asked for again. A client that retries, as it was told, when an outage of the store is over
 * has lost nothing: then the window begins with the end of that.
 *
 * @param answeredAt epoch seconds @param window seconds
 */
export function mayRetry(
  answeredAt: number,
  window: number,
  outage: Outage | undefined,
  now: number,
): boolean {
  const mayBeLost = outage !== undefined && answeredAt > outage.start - window && answeredAt < outage.end
  return now - (mayBeLost ? outage.end : answeredAt) < window
}
