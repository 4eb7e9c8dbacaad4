/**
 * Rate limits: who is counted, and what happens above a limit. The application counts. Core refuses only requests that
 * fail anyway.
 */
import type { HttpRequest } from '../http/http.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import { networkOf } from './caller-network.ts'
import { processLimiter } from './process-limiter.ts'

/** What anybody may do who finds the server, and what is short enough to guess, is limited without a `rateLimiter` too. */
const DEFAULT_LIMITS = {
  registration: { points: 100, seconds: 600 },
  user_code: { points: 10, seconds: 600 },
  user_code_network: { points: 50, seconds: 600 },
}

/** RFC 6749 has no error code for RFC 6585's 429. */
export const LIMIT_ERRORS = defineErrors({
  too_many_registrations: [
    'temporarily_unavailable',
    'Too many clients were registered from this address; try again later',
    429,
  ],
  too_many_unknown_documents: [
    'temporarily_unavailable',
    'Too many applications that are unknown here were tried; try again later',
    429,
  ],
  too_many_client_credentials_tokens: [
    'temporarily_unavailable',
    'This client got too many tokens; use each until it expires',
    429,
  ],
  too_many_failures: [
    'temporarily_unavailable',
    'Too many requests of this client failed; try again later',
    429,
  ],
})

/**
 * The counted events: clients that register themselves, refused requests of a client, documents that nobody approved,
 * tokens of clients that act for themselves. And of the device grant: requests of devices, polls of one request, tries of one
 * user at user codes, and of one network.
 */
export type RateLimit =
  | 'registration'
  | 'client_failure'
  | 'unknown_document'
  | 'client_credentials'
  | 'device_request'
  | 'device_poll'
  | 'user_code'
  | 'user_code_network'

/** The application counts; core decides which events count, and for whom. */
export interface RateLimiter {
  /**
   * Counts one event. If the limiter rejects, an event reports it and every request passes: a broken limiter must not
   * cause an outage.
   *
   * @param key the caller to count: an address, a client at an address, or a user; below 600 characters
   * @returns seconds until there is room again; 0 when there is room now
   */
  take(limit: RateLimit, key: string): Promise<number>
  /** Takes one counted event back: a user code turned out to be right. Without it, right ones count too. */
  refund?(limit: RateLimit, key: string): Promise<void>
}

export interface LimitOptions {
  /**
   * Counts registrations by address, failed requests by client and address, and fetches of unknown documents by user.
   * Default: this process counts registrations (100 in ten minutes from an address) and tries at user codes (ten in ten
   * minutes of a user, 50 from an address), and nothing else is limited.
   */
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
  /** Counts one fetch of a document that no user has approved. @throws OAuthError 429 when there were too many */
  limitUnknownDocuments(subject: string): Promise<void>
  /** Counts one token that this client gets for itself, from this network. @throws OAuthError 429 when there were too many */
  limitClientCredentials(client: Client, request: HttpRequest): Promise<void>
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

/** A limiter that never rejects. */
export interface SafeLimiter extends Required<RateLimiter> {
  /** Counts one event. @throws OAuthError the refusal, with the seconds to wait, when there were too many */
  limit(event: RateLimit, key: string, refusal: ErrorDefinition): Promise<void>
}

export function safeLimiter(options: LimitOptions, { emit, now }: Pick<Kernel, 'emit' | 'now'>): SafeLimiter {
  const rateLimiter = options.rateLimiter ?? processLimiter(DEFAULT_LIMITS, now)
  async function reported<T>(limit: RateLimit, ask: () => Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await ask()
    } catch (cause) {
      emit({ type: 'limiter_failed', limit, cause } satisfies LimitEvent)
      return undefined
    }
  }

  const take: RateLimiter['take'] = async (limit, key) =>
    (await reported(limit, () => rateLimiter.take(limit, key))) ?? 0
  return {
    take,
    refund: (limit, key) => reported(limit, () => rateLimiter.refund?.(limit, key)),
    async limit(event, key, refusal) {
      const retryAfter = await take(event, key)
      if (retryAfter > 0) throw new OAuthError(refusal, undefined, { retryAfter })
    },
  }
}

export function rateLimits({ rateLimiter }: LimitOptions, kernel: Pick<Kernel, 'emit' | 'now'>): RateLimits {
  const { take, limit } = safeLimiter({ rateLimiter }, kernel)
  const { too_many_registrations, too_many_unknown_documents, too_many_client_credentials_tokens } =
    LIMIT_ERRORS
  return {
    limitRegistrations: (request) => limit('registration', callerNetwork(request), too_many_registrations),
    limitUnknownDocuments: (subject) =>
      limit('unknown_document', sha256(subject), too_many_unknown_documents),
    // One installation in a loop, or a secret that somebody stole, takes nothing from the others.
    limitClientCredentials: ({ clientId }, request) =>
      limit(
        'client_credentials',
        `${clientId} ${callerNetwork(request)}`,
        too_many_client_credentials_tokens,
      ),

    async limitFailures(cause, request, client) {
      const callersFault = cause instanceof OAuthError && cause.status < 500 && !cause.interim
      if (rateLimiter === undefined || !callersFault) return cause
      // All unknown ids share one counter; otherwise a stranger could fill the memory of the limiter with them.
      const name = (await client?.catch(() => undefined))?.clientId ?? 'unknown'
      const retryAfter = await take('client_failure', `${name} ${callerNetwork(request)}`)
      if (retryAfter === 0) return cause
      return new OAuthError(LIMIT_ERRORS.too_many_failures, undefined, { cause, retryAfter })
    },
  }
}

/** Callers without an address count as one: who resets the connection would pass every limit otherwise. */
export function callerNetwork({ remoteAddress = 'unknown' }: HttpRequest): string {
  return networkOf(remoteAddress)
}
