/**
 * Which documents may be fetched now. Excess fetches are rejected and nothing is queued, so no caller can flood a host through this
 * server or block the clients that were approved.
 */
import { RecentlyUsed } from '../kernel/recently-used.ts'

/** Per process. New clients have this many slots, and approved ones as many: neither takes the slots of the other. */
const MAX_IN_FLIGHT = 8
const MAX_IN_FLIGHT_AT_HOST = 2
const MAX_STARTS = 30
const MAX_STARTS_AT_SITE = 6
const MINUTE = 60

/** Seconds until the next attempt, after one failure, two, and so on. Errors are never cached (draft, section 5.2). */
const BACK_OFF = [5, 30, 120, 300]
const MAX_REMEMBERED_FAILURES = 1000

export interface FetchAttempt {
  readonly id: string
  /** By `siteOf`: a budget counts what one registration can multiply. */
  readonly site: string
  /** Whether the client was approved before. */
  readonly known: boolean
  /** The user who causes the fetch, and gets at most half of all slots; absent if none is known. */
  readonly user?: string | undefined
}

export interface FetchAttempts {
  /** Seconds until `start` may take a slot; 0 if it may now. */
  wait(attempt: FetchAttempt): number
  /** Takes a slot for a fetch, or returns the seconds to wait. `ended` frees the slot. */
  start(attempt: FetchAttempt): number
  ended(id: string, result: FetchResult): void
  /** Whether the host has answered since its last document that there is none. */
  isGone(id: string): boolean
  /** Whether the host answered the last attempt in place of the document, as a bot wall does. */
  isWithheld(id: string): boolean
}

type FetchResult = 'document' | 'gone' | 'unreachable' | 'withheld'

/** @param maxStarts of new clients in a minute, and as many of approved ones; with `Infinity`, addresses share no budget at all */
export function fetchAttempts(now: () => number, maxStarts = MAX_STARTS): FetchAttempts {
  const inFlight: FetchAttempt[] = []
  const failures = new RecentlyUsed<Failures>(MAX_REMEMBERED_FAILURES)
  /** `time` in epoch seconds. */
  let starts: (FetchAttempt & { readonly time: number })[] = []

  function wait({ id, site, known, user }: FetchAttempt): number {
    const failed = failures.get(id)
    if (failed !== undefined && failed.until > now()) return failed.until - now()
    if (maxStarts === Number.POSITIVE_INFINITY) return 0
    const running = inFlight.filter((other) => other.known === known)
    const atHost = running.filter((other) => new URL(other.id).host === new URL(id).host)
    if (atHost.length >= MAX_IN_FLIGHT_AT_HOST || takenSlots(running, MAX_IN_FLIGHT, user)) return 1
    starts = starts.filter(({ time }) => time > now() - MINUTE)
    const alike = starts.filter((start) => start.known === known)
    const atSite = alike.filter((start) => start.site === site)
    const taken = takenSlots(atSite, MAX_STARTS_AT_SITE, user) ?? takenSlots(alike, maxStarts, user)
    return taken?.[0] === undefined ? 0 : taken[0].time + MINUTE - now()
  }

  return {
    wait,
    start(attempt) {
      const seconds = wait(attempt)
      if (seconds > 0) return seconds
      inFlight.push(attempt)
      if (maxStarts !== Number.POSITIVE_INFINITY) starts.push({ ...attempt, time: now() })
      return 0
    },
    isGone: (id) => failures.get(id)?.gone === true,
    isWithheld: (id) => failures.get(id)?.withheld === true,
    ended(id, result) {
      const index = inFlight.findIndex((attempt) => attempt.id === id)
      inFlight.splice(index, 1)
      const before = failures.get(id)
      failures.delete(id)
      if (result === 'document') return
      const count = (before?.count ?? 0) + 1
      const until = now() + (BACK_OFF[count - 1] ?? BACK_OFF.at(-1) ?? 0)
      const gone = before?.gone === true || result === 'gone'
      failures.set(id, { count, until, gone, withheld: result === 'withheld' })
    },
  }
}

interface Failures {
  readonly count: number
  /** The host answered one of them that there is no such document. */
  readonly gone: boolean
  /** The last of them was an answer in place of the document. */
  readonly withheld: boolean
  /** Epoch seconds. */
  readonly until: number
}

/** The slots that must become free first: all of them, or the half that this user has. `undefined` if one is free. */
function takenSlots<Slot extends FetchAttempt>(
  slots: readonly Slot[],
  max: number,
  user: string | undefined,
): readonly Slot[] | undefined {
  if (slots.length >= max) return slots
  const own = slots.filter((slot) => user !== undefined && slot.user === user)
  return own.length >= max / 2 ? own : undefined
}

/** One load: the list is 200 KB, and a server that fetches nothing does not need it. */
let publicSuffixes: Promise<typeof import('tldts')> | undefined

/** The registrable domain, or the subdomain of a shared host (https://publicsuffix.org): DNS has wildcards below it. */
export async function siteOf(id: string): Promise<string> {
  publicSuffixes ??= import('tldts')
  const { getDomain } = await publicSuffixes
  const { hostname } = new URL(id)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}
