/**
 * Which documents may be fetched now. Ids and times go in, permission or seconds to wait come out. Everything is refused at
 * once and nothing is queued, so strangers can neither use this server as a cannon nor lock its known clients out.
 */

/** Per process. Half of the starts of a minute are kept for clients that were approved before. */
const MOST_IN_FLIGHT = 8
const MOST_IN_FLIGHT_AT_HOST = 2
const MOST_STARTS = 60
const MOST_STARTS_OF_UNKNOWN = 30
const MOST_STARTS_AT_SITE = 6
const MINUTE = 60

/** Seconds until the next attempt, after one failure, two, and so on. Errors are never cached (draft, section 5.2). */
const BACK_OFF = [5, 30, 120, 300]
const MOST_REMEMBERED_FAILURES = 1000

export interface FetchAttempts {
  /** Seconds until `start` may give a place, 0 for none. @param known whether the client was approved before */
  wait(id: string, known: boolean): number
  /** Takes a place for a fetch, or returns the seconds to wait. Whoever gets one gives it back by `ended`. */
  start(id: string, known: boolean): number
  ended(id: string, result: FetchResult): void
  /** Whether the host said since its last document that there is none. */
  isGone(id: string): boolean
}

type FetchResult = 'document' | 'gone' | 'unreachable'

export function fetchAttempts(now: () => number): FetchAttempts {
  const inFlight: string[] = []
  const failures = new Map<string, Failures>()
  let starts: Start[] = []

  function wait(id: string, known: boolean): number {
    const failed = failures.get(id)
    if (failed !== undefined && failed.until > now()) return failed.until - now()
    const at = inFlight.filter((other) => hostOf(other) === hostOf(id)).length
    if (inFlight.length >= MOST_IN_FLIGHT || at >= MOST_IN_FLIGHT_AT_HOST) return 1
    starts = starts.filter(({ time }) => time > now() - MINUTE)
    const [first] = starts
    return first !== undefined && isOver(starts, id, known) ? first.time + MINUTE - now() : 0
  }

  return {
    wait,
    start(id, known) {
      const seconds = wait(id, known)
      if (seconds > 0) return seconds
      inFlight.push(id)
      starts.push({ time: now(), site: siteOf(id), known })
      return 0
    },
    isGone: (id) => failures.get(id)?.gone === true,
    ended(id, result) {
      inFlight.splice(inFlight.indexOf(id), 1)
      const before = failures.get(id)
      failures.delete(id)
      if (result === 'document') return
      const count = (before?.count ?? 0) + 1
      const until = now() + (BACK_OFF[count - 1] ?? BACK_OFF.at(-1) ?? 0)
      failures.set(id, { count, until, gone: before?.gone === true || result === 'gone' })
      const [oldest] = failures.keys()
      if (failures.size > MOST_REMEMBERED_FAILURES && oldest !== undefined) failures.delete(oldest)
    },
  }
}

interface Failures {
  readonly count: number
  /** The host said at one of them that there is no such document. */
  readonly gone: boolean
  /** Epoch seconds. */
  readonly until: number
}

interface Start {
  readonly time: number
  readonly site: string
  readonly known: boolean
}

function isOver(starts: readonly Start[], id: string, known: boolean): boolean {
  const site = siteOf(id)
  const there = starts.filter((start) => start.site === site).length
  const unknown = starts.filter((start) => !start.known).length
  return (
    starts.length >= MOST_STARTS ||
    there >= MOST_STARTS_AT_SITE ||
    (!known && unknown >= MOST_STARTS_OF_UNKNOWN)
  )
}

function hostOf(id: string): string {
  return new URL(id).host
}

/** The last two labels: a wildcard in the DNS makes any number of hosts below them. */
function siteOf(id: string): string {
  return new URL(id).hostname.split('.').slice(-2).join('.')
}
