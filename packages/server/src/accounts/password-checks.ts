import pLimit from 'p-limit'

/** A hash holds a thread of libuv for a tenth of a second, and there are four; ID tokens are signed on the others. */
const AT_A_TIME = 2
const MAX_WAITING = 50

/**
 * The queue of password checks. Hashing a password is slow on purpose, so many sign-ins at once must not delay all
 * others.
 */
export interface PasswordChecks {
  /** Whether the queue is full, so that the caller should retry later. */
  isFull(): boolean
  inTurn<T>(check: () => Promise<T>): Promise<T>
}

export function passwordChecks(): PasswordChecks {
  const turns = pLimit(AT_A_TIME)
  return { isFull: () => turns.pendingCount >= MAX_WAITING, inTurn: (check) => turns(check) }
}
