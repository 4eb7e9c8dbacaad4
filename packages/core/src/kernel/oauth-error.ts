/** Errors of this server, each defined next to its rule. The client gets code and description, the event has the reason too. */

/** Error codes by the document that defines them, with their HTTP status. */
const STATUS = {
  // RFC 6749 5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  // RFC 6749 4.1.2.1
  access_denied: 403,
  unsupported_response_type: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  // RFC 6750 3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 9449 12.2
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  // RFC 7591 3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // RFC 8707 2
  invalid_target: 400,
  // RFC 8628 3.5
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  // OpenID Connect Core 3.1.2.6
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
} as const

/** The definition of an error: what the client gets (RFC 6749 5.2), and a name for the operator. */
export interface ErrorDefinition {
  /** Stable: its meaning never changes. */
  readonly reason: string
  /** One of `STATUS`, or a code that the RFC of a feature adds. */
  readonly error: string
  readonly description: string
  readonly status: number
}

/** And a status, if HTTP has one for the fault (RFC 9110 15.5). Default: the status of the code, or 400. */
export type ErrorFields = readonly [error: string, description: string, status?: number]

/**
 * The errors of a rule. The reason of each is its name in the table. A table marked as pure leaves a bundle with what throws it.
 *
 * @example
 * ```ts
 * import { OAuthError } from '@grantkit/core'
 * import { defineErrors } from '@grantkit/core/feature'
 *
 * const STATUS_ERRORS = defineErrors({ job_unknown: ['invalid_request', 'No job has this id'] })
 * export const unknownJob = () => new OAuthError(STATUS_ERRORS.job_unknown)
 * ```
 */
export function defineErrors<Reason extends string>(
  answers: Readonly<Record<Reason, ErrorFields>>,
): { readonly [Name in Reason]: ErrorDefinition & { readonly reason: Name } } {
  const named = Object.entries<ErrorFields>(answers).map(([reason, [error, description, status]]) => {
    const byCode = STATUS[error as keyof typeof STATUS] ?? 400
    return [reason, { reason, error, description, status: status ?? byCode }]
  })
  return Object.fromEntries(named)
}

/** Rows of `defineErrors` that have one code. */
export function withCode<Reason extends string>(
  error: string,
  descriptions: Readonly<Record<Reason, string>>,
): Readonly<Record<Reason, ErrorFields>> {
  const rows = Object.entries(descriptions).map(([reason, description]) => [reason, [error, description]])
  return Object.fromEntries(rows)
}

export const SERVER_ERRORS = defineErrors({
  store_unavailable: ['temporarily_unavailable', 'The server is temporarily unavailable. Try again'],
  contention: ['temporarily_unavailable', 'Too many requests change this grant at once. Try again'],
  unexpected: ['server_error', 'The server failed, and the error was logged. Try again, or ask the operator'],
})

/** Details of an error for the operator only: an observer gets them, and no response has them. */
export interface ErrorFacts {
  /** What would have been accepted in place of the redirect URI, resource or client of the request. */
  readonly expected?: readonly string[] | undefined
  /** Why the document of the client could not be used. */
  readonly fault?: string | undefined
}

export interface OAuthErrorOptions extends ErrorOptions {
  /** Seconds until a retry makes sense. Default 1 for a 503. */
  readonly retryAfter?: number | undefined
  /** Nothing has failed, and the client is expected to repeat the request. No event reports it, and no limit counts it. */
  readonly interim?: boolean | undefined
  /** Further headers of the answer, such as a nonce. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What the error is about, for pages in another language: `{ scope: 'notes:paint' }`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly facts?: ErrorFacts | undefined
}

/**
 * A protocol error. `message` is the `error_description`; `reason` is for the operator only.
 *
 * @example
 * ```ts
 * import { OAuthError } from '@grantkit/core'
 * import { ERRORS } from '@grantkit/core/errors'
 *
 * const error = new OAuthError(ERRORS.scope_unknown, 'Unknown scope notes:paint. See scopes_supported')
 * // error.error: 'invalid_scope', error.status: 400, error.reason: 'scope_unknown'
 * ```
 */
export class OAuthError extends Error {
  readonly error: string
  readonly reason: string
  readonly status: number
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined
  readonly interim: boolean
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly parameters: Readonly<Record<string, string>>
  readonly facts: ErrorFacts
  /** By what people find its request. Only with an observer, and only on its way to the client. */
  readonly reference: string | undefined

  /** @param detail replaces the description, if it can name the wrong value */
  constructor(definition: ErrorDefinition, detail?: string, options?: OAuthErrorOptions) {
    super(printable(detail ?? definition.description), options)
    this.name = 'OAuthError'
    this.reason = definition.reason
    this.error = definition.error
    this.status = definition.status
    this.retryAfter = options?.retryAfter ?? (this.status === 503 ? 1 : undefined)
    this.interim = options?.interim ?? false
    this.headers = options?.headers
    this.parameters = options?.parameters ?? {}
    this.facts = options?.facts ?? {}
    this.reference = undefined
  }

  /** As `error_description`: many clients show that text to their user, and nothing else. */
  get errorDescription(): string {
    return this.reference === undefined ? this.message : `${this.message} (ref ${this.reference})`
  }

  /** The body of RFC 6749 5.2. */
  toJSON(): { error: string; error_description: string; reference?: string } {
    const { error, errorDescription: error_description, reference } = this
    return reference === undefined ? { error, error_description } : { error, error_description, reference }
  }

  /** A copy with a reference: an application may throw one error many times. */
  withReference(reference: string): OAuthError {
    const { message, cause } = this
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, { message, cause, reference })
  }
}

/** For the error of a client that sent a code or token of another client. */
export function ownedBy({ clientId }: { readonly clientId: string }): OAuthErrorOptions {
  return { facts: { expected: [clientId] } }
}

/** error_description may hold %x20-21 / %x23-5B / %x5D-7E only (RFC 6749 5.2). */
function printable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
}
