/**
 * Rate limits: which callers are counted, and what happens above a limit. The application counts, by a `RateLimiter`. Each limit is
 * declared next to its rule, with a default.
 */
import type { HttpRequest } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { networkOf } from './caller-network.ts'
import { type EventCounter, processCounter, type RateLimitWindow } from './process-counter.ts'

export type { RateLimitWindow }

/** RFC 6749 has no error code for RFC 6585's 429. */
export const LIMIT_ERRORS = defineErrors({
  too_many_failures: [
    'temporarily_unavailable',
    'Too many requests of this client failed. Try again later',
    429,
  ],
})

export const FAILURE_LIMITS: RateLimits = { client_failure: { points: 100, seconds: 600 } }

/** A limit with the default of its window. */
export interface RateLimit extends RateLimitWindow {
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
   * names have the number: `client_tokens_600`, `client_grants_1000`. Default: this process counts
   * registrations (100 in ten minutes from an address, 400 from an IPv6 /48, 1,000 of hosted known clients) and attempts at user codes (ten in ten minutes of a user, 50 from an
   * address) and the limits of clients, and nothing else is limited.
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

  return {
    take,
    async refund(limit, key) {
      await counting.refund?.(limit, key).catch((cause: unknown) => report(limit, cause))
    },
    async limit(limit, key, error) {
      const retryAfter = await take(limit, key)
      if (retryAfter > 0) throw new OAuthError(error, undefined, { retryAfter })
    },
  }
}

function inProcess(now: () => number): RateLimiter {
  const counters = new Map<string, EventCounter>()
  return {
    async take(limit, key, window: RateLimit) {
      if (window.withoutLimiter === undefined) return 0
      const counter = counters.get(limit) ?? processCounter(window, now)
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
  request: HttpRequest,
  client: Promise<Client | undefined> | undefined,
): Promise<unknown> {
  const callersFault = cause instanceof OAuthError && cause.status < 500 && !cause.interim
  if (!callersFault) return cause
  // All unknown ids share one counter; otherwise callers could fill the memory of the limiter with them.
  const name = (await client?.catch(() => undefined))?.clientId ?? 'unknown'
  const retryAfter = await limiter.take('client_failure', `${name} ${callerNetwork(request)}`)
  if (retryAfter === 0) return cause
  return new OAuthError(LIMIT_ERRORS.too_many_failures, undefined, { cause, retryAfter })
}

/** Callers without an address count as one: otherwise a caller that resets the connection would pass every limit. */
export function callerNetwork({ remoteAddress = 'unknown' }: HttpRequest): string {
  return networkOf(remoteAddress)
}
