import type { Emit, RequestEvent } from '../kernel/events.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { withoutSecrets } from '../kernel/secrets.ts'
import type { SignInAttempts } from '../kernel/sign-in-attempts.ts'
import { type HttpRequest, type HttpResponse, header, json } from './http.ts'

/**
 * The response of RFC 6749 5.2 to an error.
 *
 * @example
 * ```ts
 * import { OAuthError } from '@grantkit/core'
 * import { errorResponse } from '@grantkit/core/adapter'
 * import { ERRORS } from '@grantkit/core/errors'
 *
 * const { status, body } = errorResponse(new OAuthError(ERRORS.code_expired))
 * // status: 400, body: '{"error":"invalid_grant",...}'
 * ```
 */
export function errorResponse(error: OAuthError, request?: HttpRequest): HttpResponse {
  return json(error.status, error, {
    ...error.headers,
    ...errorHeaders(error),
    ...(error.error === 'invalid_client' && request ? clientChallenge(request) : {}),
  })
}

/** The header with the reference of the sign-in attempt. */
export const REFERENCE_HEADER = 'Grantkit-Reference'

/** The seconds until a retry makes sense (RFC 9110 10.2.3), for a temporary error, and the reference. */
export function errorHeaders({ retryAfter: seconds, reference }: OAuthError): Record<string, string> {
  return {
    ...(seconds === undefined ? undefined : { 'retry-after': String(seconds) }),
    ...(reference === undefined ? undefined : { [REFERENCE_HEADER.toLowerCase()]: reference }),
  }
}

/** A client that used the Authorization header gets a challenge of its scheme (RFC 6749 5.2, RFC 7617 2.1). */
function clientChallenge(request: HttpRequest): Record<string, string> {
  const scheme = /^[A-Za-z]{1,20}(?= |$)/.exec(header(request, 'authorization') ?? '')?.[0]
  if (scheme === undefined) return {}
  const charset = /^basic$/i.test(scheme) ? ', charset="UTF-8"' : ''
  return { 'www-authenticate': `${scheme} realm="oauth"${charset}` }
}

/** Where errors are logged: the part of the kernel, or of a guard, that this needs. */
export interface Reporting {
  readonly emit: Emit
  readonly attempts?: SignInAttempts | undefined
}

/**
 * Turns anything thrown into an `OAuthError`, and emits an event for it. If core did not throw it, the application failed:
 * the client only gets `server_error`. With the option `explain`, the error has the reference of its attempt.
 */
export function reportedError(
  thrown: unknown,
  request: HttpRequest,
  { emit, attempts }: Reporting,
): OAuthError {
  const oauthError = asOAuthError(thrown)
  const { error, reason, message: detail, cause } = oauthError
  const { known } = oauthError.parameters
  const path = withoutSecrets(request.path)
  const attempt = oauthError.interim ? undefined : attempts?.refused(request, oauthError)
  const facts = { path, error, reason, ...attempt }
  if (oauthError.status >= 500) emit({ type: 'failed', ...facts, cause } satisfies RequestEvent)
  else if (!oauthError.interim)
    emit({ type: 'refused', ...facts, detail, ...(known && { known }) } satisfies RequestEvent)
  return attempt === undefined ? oauthError : oauthError.withReference(attempt.reference)
}

/** An interim error is not a failure for the user, so it has no reference. */
export function referredError(error: OAuthError, request: HttpRequest, attempts: SignInAttempts): OAuthError {
  return error.interim ? error : error.withReference(attempts.refused(request, error).reference)
}

/**
 * The answer of an adapter to what a route or the framework threw. The routes of core report their faults themselves; any
 * other fault goes to the console, because the client only gets `server_error`.
 *
 * @example
 * ```ts
 * import type { HttpRequest } from '@grantkit/core'
 * import { failedResponse, type Route } from '@grantkit/core/adapter'
 *
 * export const answer = (route: Route, request: HttpRequest) => route.handle(request).catch(failedResponse)
 * ```
 */
export function failedResponse(thrown: unknown): HttpResponse {
  const error = asOAuthError(thrown)
  if (error.status >= 500) console.error('Grantkit: a request failed:', error.cause ?? error)
  return errorResponse(error)
}

function asOAuthError(thrown: unknown): OAuthError {
  return thrown instanceof OAuthError
    ? thrown
    : new OAuthError(SERVER_ERRORS.unexpected, undefined, { cause: thrown })
}
