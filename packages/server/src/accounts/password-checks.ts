/** A hash holds a thread of libuv for a tenth of a second, and there are four; ID tokens are signed on the others. */
const AT_A_TIME = 2
const MAX_WAITING = 50
const MAX_WAITING_OF_ONE = 40

/**
 * The queue of password checks. Hashing a password is slow on purpose, so many sign-ins at once must not delay all
 * others. The places are shared out, so that one caller cannot take them all: those who wait have turns one after
 * another, and a full queue takes the newest place of the one with the most.
 */
export interface PasswordChecks {
  /**
   * @param holder who takes a place: the network of a caller, or the account of an authenticated user
   * @returns `undefined` if there was no place, or another holder got it: nothing was checked, the caller may retry later
   */
  inTurn<T>(holder: string, check: () => Promise<T>): Promise<T | undefined>
}

/** For users whose passwords this process does not hash. */
export const WITHOUT_QUEUE: PasswordChecks = { inTurn: (_, check) => check() }

export function passwordChecks(): PasswordChecks {
  /** By holder. The first check of the first holder is the next one. */
  const waiting = new Map<string, Start[]>()
  let running = 0
  let places = 0

  function turnOf(holder: string): Promise<boolean> {
    const own = waiting.get(holder) ?? []
    if (running < AT_A_TIME) {
      running++
      return Promise.resolve(true)
    }
    if (own.length >= MAX_WAITING_OF_ONE) return Promise.resolve(false)
    if (places >= MAX_WAITING && !takesPlaceOfAnother(own.length)) return Promise.resolve(false)
    places++
    waiting.set(holder, own)
    return new Promise((start) => own.push(start))
  }

  function takesPlaceOfAnother(own: number): boolean {
    const [fullest = []] = [...waiting.values()].sort((a, b) => b.length - a.length)
    if (fullest.length <= own + 1) return false
    places--
    fullest.pop()?.(false)
    return true
  }

  function startNext(): void {
    const [next] = waiting
    if (next === undefined) return
    const [holder, [start, ...others]] = next
    // The holder has its next turn after all others.
    waiting.delete(holder)
    if (others.length > 0) waiting.set(holder, others)
    places--
    running++
    start?.(true)
  }

  return {
    async inTurn(holder, check) {
      if (!(await turnOf(holder))) return undefined
      try {
        return await check()
      } finally {
        running--
        startNext()
      }
    },
  }
}

/** @param hasTurn `false`: it lost its place */
type Start = (hasTurn: boolean) => void
