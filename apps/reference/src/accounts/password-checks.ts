import pLimit from 'p-limit'

/** A hash holds a thread of libuv for a tenth of a second, and there are four; ID tokens are signed on the others. */
const AT_A_TIME = 2
const MAX_WAITING = 50

/** The turns of sign-ins: hashing a password is slow on purpose, so a crowd must not make everybody wait. */
export interface PasswordChecks {
  /** Whether so many wait that one more should come back later. */
  isFull(): boolean
  inTurn<T>(check: () => Promise<T>): Promise<T>
}

export function passwordChecks(): PasswordChecks {
  const turns = pLimit(AT_A_TIME)
  return { isFull: () => turns.pendingCount >= MAX_WAITING, inTurn: (check) => turns(check) }
}
