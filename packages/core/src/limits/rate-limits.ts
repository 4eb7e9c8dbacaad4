/**
 * Rate limits: who is counted, and what happens above a limit. The application counts. Core refuses only requests that
 * fail anyway.
 */
import type { HttpRequest } from '../http/http.ts'
import type { Emit } from '../kernel/events.ts'
import { OAuthError, refusals } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { networkOf } from './caller-network.ts'

/** RFC 6749 has no error code for RFC 6585's 429. */
export const LIMIT_REFUSALS = refusals({
  too_many_registrations: [
    'temporarily_unavailable',
    'Too many clients were registered from this address; try again later',
    429,
  ],
  too_many_failures: [
    'temporarily_unavailable',
    'Too many requests of this client failed; try again later',
    429,
  ],
})

/** The counted events: clients that register themselves, and refused requests of a client. */
export type RateLimit = 'registration' | 'client_failure'

/** The application counts; core decides which events count, and for whom. */
export interface RateLimiter {
  /**
   * Counts one event. If the limiter rejects, an event reports it and every request passes: a broken limiter must not
   * cause an outage.
   *
   * @param key the caller to count: an address, or a client at an address; below 600 characters
   * @returns seconds until there is room again; 0 when there is room now
   */
  take(limit: RateLimit, key: string): Promise<number>
}

export interface LimitOptions {
  /** Counts registrations by address, and failed requests by client and address. Default: nothing is limited. */
  readonly rateLimiter?: RateLimiter | undefined
}

/** The rate limiter rejected, so the request passed uncounted. `cause` is the rejection. */
export interface LimitEvent {
  readonly type: 'limiter_failed'
  readonly limit: RateLimit
  readonly cause: unknown
}

export interface RateLimits {
  /** Counts one registration of this caller. @throws OAuthError 429 when there were too many */
  limitRegistrations(request: HttpRequest): Promise<void>
  /**
   * Counts a refusal, and returns the refusal to answer: the same one, or a 429 above the limit. A client id is public,
   * so failures of others must never block a valid request. Effects of the refusal, such as ending the grant of a
   * stolen token, have happened by then.
   *
   * @param client the client of the request, if known
   */
  limitFailures(
    cause: unknown,
    request: HttpRequest,
    client: Promise<Client | undefined> | undefined,
  ): Promise<unknown>
}

export function rateLimits({ rateLimiter }: LimitOptions, emit: Emit): RateLimits {
  async function take(limit: RateLimit, key: string): Promise<number> {
    try {
      return (await rateLimiter?.take(limit, key)) ?? 0
    } catch (cause) {
      emit({ type: 'limiter_failed', limit, cause } satisfies LimitEvent)
      return 0
    }
  }

  return {
    async limitRegistrations(request) {
      const wait = await take('registration', callerNetwork(request))
      if (wait > 0)
        throw new OAuthError(LIMIT_REFUSALS.too_many_registrations, undefined, { retryAfter: wait })
    },

    async limitFailures(cause, request, client) {
      const callersFault = cause instanceof OAuthError && cause.status < 500
      if (rateLimiter === undefined || !callersFault) return cause
      // All unknown ids share one counter; otherwise a stranger could fill the memory of the limiter with them.
      const name = (await client?.catch(() => undefined))?.clientId ?? 'unknown'
      const retryAfter = await take('client_failure', `${name} ${callerNetwork(request)}`)
      if (retryAfter === 0) return cause
      return new OAuthError(LIMIT_REFUSALS.too_many_failures, undefined, { cause, retryAfter })
    },
  }
}

/** Callers without an address count as one: who resets the connection would pass every limit otherwise. */
function callerNetwork({ remoteAddress = 'unknown' }: HttpRequest): string {
  return networkOf(remoteAddress)
}
