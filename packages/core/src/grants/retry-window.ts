/** No answer is given again this many seconds after it was first given. No request and no outage makes this longer. */
export const MAX_RETRY = 900

/**
 * How an answer is given again. `late`: the retry window was over, so a copy of the spent credential may be in use.
 */
export type Retry = 'in window' | 'late'

/** An answer that gave out tokens. */
export interface GivenAnswer {
  /** Epoch seconds. */
  readonly givenAt: number
  /** Whether it may be given again after the window: what it returned is unused. */
  readonly unused: boolean
}

/** A request that presents a credential. */
export interface ArrivedRequest {
  /**
   * Epoch seconds: the retry window is measured to it, however long the request has waited since. It is before the answer if
   * the process stood still meanwhile, or if clocks differ.
   */
  readonly arrivedAt: number
}

/**
 * Whether a repeated request gets the same answer again (docs/adr/0002). The record of the grant alone decides that, so
 * all replicas agree.
 *
 * @param terms a window of 0 is strict
 */
export function retryOf(
  { givenAt, unused }: GivenAnswer,
  { arrivedAt }: ArrivedRequest,
  { refreshRetryWindow }: { readonly refreshRetryWindow: number },
): Retry | undefined {
  const age = arrivedAt - givenAt
  if (refreshRetryWindow === 0) return undefined
  if (age < refreshRetryWindow) return 'in window'
  return unused && age < MAX_RETRY ? 'late' : undefined
}
