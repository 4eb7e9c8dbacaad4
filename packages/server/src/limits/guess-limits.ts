import type { CreateCounter } from './counters.ts'
import { keyOf } from './rate-limiter.ts'

/** A limit of wrong passwords. A try counts before it is checked, so tries at the same time are not more than the limit. */
export interface TryLimit {
  /** @returns seconds to wait, and then the try does not count; 0: it may be checked */
  take(): Promise<number>
  /** It was not checked. */
  refund(): Promise<void>
  /** It was right. */
  reset(): Promise<void>
  /** It was wrong. @returns whether all browsers that the account does not know wait now */
  wrong(): Promise<boolean>
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The next wrong password within the hour is the twentieth, and the first one with a wait. */
const WITHOUT_WAIT = { points: 19, seconds: HOUR }
/** NIST SP 800-63B-4, 3.2.2: no more than 100 consecutive failed attempts. */
const IN_A_ROW = { points: 100, seconds: DAY }
/** Where there is a wait, one try at a time. Longer than a check takes. */
const TURN = { points: 1, seconds: MINUTE }
const OF_BROWSER = { points: 10, seconds: 15 * MINUTE }
const MAX_WAIT = 15 * MINUTE

export type GuessLimits = ReturnType<typeof guessLimits>

/**
 * Slows down those who guess at one account from many networks, and not its user in a browser that the account knows
 * (docs/adr/0081).
 */
export function guessLimits(createCounter: CreateCounter) {
  const withoutWait = createCounter('guess', WITHOUT_WAIT)
  const inARow = createCounter('guess_row', IN_A_ROW)
  const turns = createCounter('guess_turn', TURN)
  const ofBrowser = createCounter('known_browser', OF_BROWSER)
  const inARowOfBrowser = createCounter('known_browser_row', IN_A_ROW)
  return {
    /**
     * Of all browsers together that an account does not know, over all networks.
     *
     * @param email as it was typed: an address without an account has the same waits
     */
    unknownBrowsers(email: string): TryLimit {
      const key = keyOf(email)
      return {
        async take() {
          const wait = (await withoutWait.take(key)) > 0 ? await turns.take(key) : 0
          return wait > 0 ? wait : inARow.take(key)
        },
        async refund() {
          await Promise.all([withoutWait.refund(key), inARow.refund(key), turns.reset(key)])
        },
        async reset() {
          await Promise.all([withoutWait, inARow, turns].map((counter) => counter.reset(key)))
        },
        async wrong() {
          const guesses = await inARow.extend(key, DAY)
          // Also of guesses that were too slow to wait before.
          const waits = (await turns.extend(key, waitAfter(guesses))) > 0 || guesses >= IN_A_ROW.points
          if (waits) await withoutWait.extend(key, DAY)
          return waits
        },
      }
    },
    /** Of one browser that an account knows. */
    knownBrowser: (id: string): TryLimit => ({
      async take() {
        const wait = await ofBrowser.take(id)
        return wait > 0 ? wait : inARowOfBrowser.take(id)
      },
      async refund() {
        await Promise.all([ofBrowser.refund(id), inARowOfBrowser.refund(id)])
      },
      async reset() {
        await Promise.all([ofBrowser.reset(id), inARowOfBrowser.reset(id)])
      },
      async wrong() {
        await inARowOfBrowser.extend(id, DAY)
        return false
      },
    }),
  }
}

/** One minute, then twice as long each time. After the last guess in a row, a day. */
function waitAfter(guesses: number): number {
  if (guesses >= IN_A_ROW.points) return DAY
  const before = Math.max(guesses - WITHOUT_WAIT.points - 1, 0)
  return Math.min(MINUTE * 2 ** before, MAX_WAIT)
}
