import { findClient } from './client-lookup.ts'
import { type HttpRequest, parameters } from './http.ts'
import { OAuthError } from './oauth-error.ts'
import { networkOf } from './rules/caller-network.ts'
import type { ServerContext } from './server-context.ts'

/** What is counted: clients that register themselves, and requests of a client that were refused. */
export type RateLimit = 'registration' | 'client_failure'

/** How it is counted is the application's to decide; core decides what, and whose. */
export interface RateLimiter {
  /**
   * Counts one event. A limiter that rejects is told of by event, and everything passes: it must not become an outage.
   *
   * @param key whose event it is: an address, or a client at an address; below 600 characters
   * @returns the whole seconds until there is room again; 0 when there is room now
   */
  take(limit: RateLimit, key: string): Promise<number>
}

/** Counts one registration of this address. @throws OAuthError 429 when there were too many */
export async function countRegistration(server: ServerContext, request: HttpRequest): Promise<void> {
  const network = callerNetwork(request)
  const wait = network === undefined ? 0 : await take(server, 'registration', network)
  if (wait > 0) throw new OAuthError('too_many_registrations', undefined, { retryAfter: wait })
}

/**
 * Counts a refusal, and answers what to refuse with: the same, or beyond the limit a 429. Only what fails anyway is
 * ever limited: a client id is public, so nobody's failures may cost anybody a request that is in order. What a
 * refusal does, as ending the grant of a stolen token, is done by then.
 */
export async function countedFailure(
  server: ServerContext,
  request: HttpRequest,
  cause: unknown,
): Promise<unknown> {
  const retryAfter = isCallersFault(cause) ? await countFailure(server, request) : 0
  return retryAfter > 0 ? new OAuthError('too_many_failures', undefined, { cause, retryAfter }) : cause
}

/** Of a body that is too large nobody reads whose it is. */
function isCallersFault(cause: unknown): boolean {
  return cause instanceof OAuthError && cause.status < 500 && cause.reason !== 'body_too_large'
}

async function countFailure(server: ServerContext, request: HttpRequest): Promise<number> {
  const network = callerNetwork(request)
  if (network === undefined || server.rateLimiter === undefined) return 0
  return take(server, 'client_failure', `${await knownClientId(server, request)} ${network}`)
}

/** Ids of no client count as one, or a stranger could fill the memory of the limiter with them. */
async function knownClientId(server: ServerContext, request: HttpRequest): Promise<string> {
  const { client_id } = parameters(request.body)
  if (typeof client_id !== 'string') return 'unknown'
  const client = await findClient(server, client_id).catch(() => undefined)
  return client?.clientId ?? 'unknown'
}

/** Without the address of the caller there is nobody to count: one counter for all would lock everybody out. */
function callerNetwork({ remoteAddress }: HttpRequest): string | undefined {
  return remoteAddress === undefined ? undefined : networkOf(remoteAddress)
}

async function take(server: ServerContext, limit: RateLimit, key: string): Promise<number> {
  try {
    return (await server.rateLimiter?.take(limit, key)) ?? 0
  } catch (cause) {
    server.onEvent({ type: 'limiter_failed', limit, cause })
    return 0
  }
}
