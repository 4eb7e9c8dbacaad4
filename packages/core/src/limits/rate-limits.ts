/** Rate limits. The application counts, by a `RateLimiter`. Each limit is declared next to its rule, with a default. */
import type { HttpRequest } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import { RecentlyUsed } from '../kernel/recently-used.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { networkOf, networksOf } from './caller-network.ts'

/** RFC 6749 has no error code for RFC 6585's 429. */
export const LIMIT_ERRORS = defineErrors({
  too_many_failures: [
    'temporarily_unavailable',
    'Too many requests of this client failed. Try again later',
    429,
  ],
})

export const FAILURE_LIMITS: RateLimits = { client_failure: { points: 100, seconds: 600 } }

interface RateLimit extends RateLimitWindow {
  /** Counted in this process if there is no `rateLimiter`: for open endpoints, and codes that are short enough to guess. */
  readonly withoutLimiter?: true | undefined
}

/** Limits by the name of the counted event. */
export type RateLimits = Readonly<Record<string, RateLimit>>

/** The application counts; the server decides which events count, and by which key. */
export interface RateLimiter {
  /**
   * Counts one event. If the limiter rejects, an event reports it and every request passes: a broken limiter must not
   * cause an outage.
   *
   * @param key the caller to count: an address, a client at an address, or a user; below 600 characters
   * @param window the default of this limit
   * @returns seconds until the next event is allowed; 0 if this one was
   */
  take(limit: string, key: string, window: RateLimitWindow): Promise<number>
  /** Refunds one event, because a user code was correct. Without it, correct codes count too. */
  refund?(limit: string, key: string): Promise<void>
}

export interface LimitOptions {
  /**
   * Counts the events of the server and its features, by the names in `description.rateLimits`, and the limits of clients, whose
   * names have the number: `client_tokens_600`, `client_grants_1000`. The /56 and /48 of an IPv6 caller are counted by
   * `device_request_56`, `device_request_48` and so on (`networkLimits`). Default: this process counts
   * registrations (100 in ten minutes from an address, 1,000 of hosted clients) and attempts at user codes (ten in ten minutes of a
   * user, 50 from an address) and the limits of clients, and nothing else is limited.
   */
  readonly rateLimiter?: RateLimiter | undefined
}

/** The rate limiter rejected, so the request passed uncounted. `cause` is the rejection. */
export interface LimitEvent {
  readonly type: 'limiter_failed'
  readonly limit: string
  readonly cause: unknown
}

/** Counts events of the declared limits. It never rejects for a fault of the rate limiter. */
export interface Limiter {
  /**
   * Counts one event.
   *
   * @param window for a limit that is not declared, because each client has its own. Default: the declared one
   * @returns seconds until the next event is allowed; 0 if this one was
   */
  take(limit: string, key: string, window?: RateLimit): Promise<number>
  refund(limit: string, key: string): Promise<void>
  /** Counts one event. @throws OAuthError `error`, with the seconds to wait, when there were too many */
  limit(limit: string, key: string, error: ErrorDefinition): Promise<void>
  /** For each network of the caller (`networkLimits`). @param clientId counts each client by itself @throws OAuthError */
  limitCaller(limit: string, caller: HttpRequest, error: ErrorDefinition, clientId?: string): Promise<void>
  refundCaller(limit: string, caller: HttpRequest): Promise<void>
}

/**
 * The limits of the networks of a caller, in the order of `networksOf`: of an IPv6 caller the second counts its /56 and
 * has twice as many events, the third counts its /48 and has four times as many. A caller is counted for a wider network
 * only if the narrower one lets it pass, so that one caller in a loop does not use up the limit of its neighbours.
 *
 * @param name of the limit of a /64 or of an IPv4 address
 */
export function networkLimits<Window extends RateLimitWindow>(
  name: string,
  window: Window,
): readonly { readonly name: string; readonly window: Window }[] {
  return ['', '_56', '_48'].map((width, index) => {
    return { name: name + width, window: { ...window, points: window.points * 2 ** index } }
  })
}

/** @param limits those that are declared; read when an event is counted */
export function limiterOf(
  { rateLimiter }: LimitOptions,
  { emit, now }: Pick<Kernel, 'emit' | 'now'>,
  limits: () => RateLimits,
): Limiter {
  const counting = rateLimiter ?? inProcess(now)

  function declared(limit: string): RateLimit {
    const window = limits()[limit]
    if (window === undefined) throw new Error(`rateLimits: no feature declares ${limit}`)
    return window
  }

  const report = (limit: string, cause: unknown) =>
    emit({ type: 'limiter_failed', limit, cause } satisfies LimitEvent)

  async function take(limit: string, key: string, window = declared(limit)): Promise<number> {
    try {
      return await counting.take(limit, key, window)
    } catch (cause) {
      report(limit, cause)
      return 0
    }
  }

  async function refund(limit: string, key: string): Promise<void> {
    await counting.refund?.(limit, key).catch((cause: unknown) => report(limit, cause))
  }

  async function limit(name: string, key: string, error: ErrorDefinition, window?: RateLimit): Promise<void> {
    const retryAfter = await take(name, key, window)
    if (retryAfter > 0) throw new OAuthError(error, undefined, { retryAfter })
  }

  /** Made once for each: a request allocates its networks alone. */
  const ofNetworks = new Map<string, ReturnType<typeof networkLimits<RateLimit>>>()
  function limitsOf(name: string) {
    const limits = ofNetworks.get(name) ?? networkLimits(name, declared(name))
    ofNetworks.set(name, limits)
    return limits
  }

  return {
    take,
    refund,
    limit,
    async limitCaller(limitName, { remoteAddress = 'unknown' }, error, clientId) {
      const limits = limitsOf(limitName)
      let width = 0
      for (const network of networksOf(remoteAddress)) {
        const { name, window } = limits[width++] as (typeof limits)[number]
        await limit(name, clientId === undefined ? network : `${clientId} ${network}`, error, window)
      }
    },
    async refundCaller(limitName, { remoteAddress = 'unknown' }) {
      const limits = limitsOf(limitName)
      const networks = networksOf(remoteAddress)
      await Promise.all(networks.map((network, width) => refund(limits[width]?.name ?? limitName, network)))
    },
  }
}

/** Counts in this process what is marked so, and nothing else. @param maxKeys of each limit */
export function inProcess(now: () => number, maxKeys?: number): RateLimiter {
  const counters = new Map<string, EventCounter>()
  return {
    async take(limit, key, window: RateLimit) {
      if (window.withoutLimiter === undefined) return 0
      const counter = counters.get(limit) ?? processCounter(window, now, maxKeys)
      counters.set(limit, counter)
      return counter.take(key)
    },
    refund: async (limit, key) => counters.get(limit)?.refund(key),
  }
}

/**
 * Counts a failed request, and returns the error to answer: the same one, or a 429 above the limit. A client id is public,
 * so failures of others must never block a valid request. Effects of the error, such as ending the grant of a stolen token,
 * have happened by then.
 *
 * @param client the client of the request, if known
 */
export async function limitFailures(
  limiter: Limiter,
  cause: unknown,
  { remoteAddress = 'unknown' }: HttpRequest,
  client: Promise<Client | undefined> | undefined,
): Promise<unknown> {
  const callersFault = cause instanceof OAuthError && cause.status < 500 && !cause.interim
  if (!callersFault || isOverLimit(cause)) return cause
  // All unknown ids share one counter; otherwise callers could fill the memory of the limiter with them.
  const name = (await client?.catch(() => undefined))?.clientId ?? 'unknown'
  // Callers without an address count as one: otherwise a caller that resets the connection would pass every limit.
  const retryAfter = await limiter.take('client_failure', `${name} ${networkOf(remoteAddress)}`)
  if (retryAfter === 0) return cause
  return new OAuthError(LIMIT_ERRORS.too_many_failures, undefined, { cause, retryAfter })
}

/** A valid request, of which there were too many. It tells nothing about credentials. */
function isOverLimit({ status, reason }: OAuthError): boolean {
  return status === 429 && reason !== LIMIT_ERRORS.too_many_failures.reason
}

/** The number of allowed events per key, and the length of a window, which begins with the first event of its key. */
export interface RateLimitWindow {
  readonly points: number
  readonly seconds: number
}

/** Counts events by key. */
export interface EventCounter {
  /** Counts one event. @returns seconds until the next event is allowed; 0 if this one was */
  take(key: string): Promise<number>
  /** Refunds one event of a key. */
  refund(key: string): Promise<void>
  /** Refunds all events of a key. */
  reset(key: string): Promise<void>
  /**
   * Lets the window of a key end so many seconds from now, with its events.
   *
   * @returns how many events that are, with those that were not allowed; 0: there is no window
   */
  extend(key: string, seconds: number): Promise<number>
}

/** Some ten megabytes: callers can invent keys. */
const MAX_KEYS = 50_000

/**
 * In fixed windows. Above `maxKeys`, the keys used least recently are forgotten: rejecting new ones would lock out callers without
 * any event.
 *
 * @param now epoch seconds
 */
export function processCounter(
  { points, seconds }: RateLimitWindow,
  now: () => number,
  maxKeys = MAX_KEYS,
): EventCounter {
  /** `endsAt` in epoch seconds. */
  const windows = new RecentlyUsed<{ endsAt: number; taken: number }>(maxKeys, {
    now,
    endOf: ({ endsAt }) => endsAt,
  })
  return {
    async take(key) {
      // A hash is short for any key, and no dump of the memory shows addresses.
      const hash = sha256(key)
      const open = windows.get(hash)
      const window = open ?? { endsAt: now() + seconds, taken: 0 }
      if (open === undefined) windows.set(hash, window)
      window.taken++
      return window.taken > points ? Math.ceil(window.endsAt - now()) : 0
    },
    async refund(key) {
      const window = windows.get(sha256(key))
      if (window !== undefined) window.taken = Math.max(window.taken - 1, 0)
    },
    async reset(key) {
      windows.delete(sha256(key))
    },
    async extend(key, length) {
      const window = windows.get(sha256(key))
      if (window === undefined) return 0
      window.endsAt = now() + length
      return window.taken
    },
  }
}
