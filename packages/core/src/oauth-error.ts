/**
 * Every refusal of this server in two tables: an error code has one status, a reason has one error code and one
 * description. The client is told the code and the description; the operator also gets the reason, by event.
 */

/** Error codes by the document that defines them, with the status they are answered with. */
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
  // RFC 7591 3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // RFC 8707 2
  invalid_target: 400,
  // OpenID Connect Core 3.1.2.6
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
} as const

export type OAuthErrorCode = keyof typeof STATUS

interface Refusal {
  readonly error: OAuthErrorCode
  readonly description: string
  /** Where HTTP itself has a status for the fault (RFC 9110 15.5), it goes before the one of the code. */
  readonly status?: number
}

/** Stable names for operators: a row may be added, an existing name does not change its meaning. */
export const REFUSALS = {
  // The message
  message_invalid: { error: 'invalid_request', description: 'The request is malformed' },
  method_not_allowed: {
    error: 'invalid_request',
    description: 'This method is not allowed here',
    status: 405,
  },
  media_type_unsupported: {
    error: 'invalid_request',
    description: 'The body has another media type than this endpoint reads',
    status: 415,
  },
  body_unreadable: { error: 'invalid_request', description: 'The body could not be read' },
  body_too_large: { error: 'invalid_request', description: 'The body is larger than 64 KiB', status: 413 },
  // The client
  client_unknown: {
    error: 'invalid_client',
    description: 'No client has this client_id; the application must register again',
  },
  client_not_identified: { error: 'invalid_client', description: 'client_id is missing' },
  client_auth_method_mismatch: {
    error: 'invalid_client',
    description: 'The client must authenticate with the method it is registered for',
  },
  client_secret_wrong: { error: 'invalid_client', description: 'The client secret is wrong' },
  client_not_confidential: {
    error: 'invalid_client',
    description: 'This endpoint needs a client that authenticates with a secret',
  },
  // The authorization request
  redirect_uri_missing: { error: 'invalid_request', description: 'redirect_uri is missing' },
  redirect_uri_not_registered: {
    error: 'invalid_request',
    description: 'redirect_uri is not one that the client registered',
  },
  response_type_missing: { error: 'invalid_request', description: 'response_type is missing' },
  response_type_unsupported: {
    error: 'unsupported_response_type',
    description: 'response_type must be code',
  },
  response_mode_unsupported: { error: 'invalid_request', description: 'response_mode must be query' },
  challenge_missing: { error: 'invalid_request', description: 'code_challenge is missing; PKCE is required' },
  challenge_malformed: {
    error: 'invalid_request',
    description: 'code_challenge must be 43 base64url characters',
  },
  challenge_method_unsupported: {
    error: 'invalid_request',
    description: 'code_challenge_method must be S256',
  },
  request_object_unsupported: {
    error: 'request_not_supported',
    description: 'The request parameter is not supported',
  },
  request_uri_unsupported: {
    error: 'request_uri_not_supported',
    description: 'The request_uri parameter is not supported',
  },
  registration_unsupported: {
    error: 'registration_not_supported',
    description: 'The registration parameter is not supported',
  },
  prompt_invalid: {
    error: 'invalid_request',
    description: 'prompt has an unknown value, or none together with another',
  },
  sign_in_needed: {
    error: 'login_required',
    description: 'The user has to sign in, and prompt=none forbids asking',
  },
  sign_in_as_other_user: {
    error: 'login_required',
    description: 'Another user signed in than the one of id_token_hint',
  },
  consent_needed: {
    error: 'consent_required',
    description: 'The user has to give consent, and prompt=none forbids asking',
  },
  consent_denied: { error: 'access_denied', description: 'The user did not allow access' },
  consent_ticket_invalid: {
    error: 'invalid_request',
    description: 'This consent form has expired or belongs to another sign-in',
  },
  consent_ticket_spent: { error: 'invalid_request', description: 'This consent form was already answered' },
  // Scope and resource
  scope_missing: { error: 'invalid_request', description: 'scope is missing' },
  scope_malformed: { error: 'invalid_scope', description: 'scope must be names separated by single spaces' },
  scope_unknown: { error: 'invalid_scope', description: 'scope names a scope that does not exist here' },
  scope_not_registered: {
    error: 'invalid_scope',
    description: 'scope names a scope that the client did not register for',
  },
  scope_not_granted: {
    error: 'invalid_scope',
    description: 'scope names a scope that the user did not grant',
  },
  resource_unknown: { error: 'invalid_target', description: 'resource is not a resource of this server' },
  resource_not_granted: {
    error: 'invalid_target',
    description: 'resource was not part of the authorization',
  },
  // The grant
  grant_type_unsupported: {
    error: 'unsupported_grant_type',
    description: 'grant_type must be authorization_code or refresh_token',
  },
  grant_type_not_registered: {
    error: 'unauthorized_client',
    description: 'The client is not registered for this grant_type',
  },
  code_unknown: { error: 'invalid_grant', description: 'The authorization code is not valid' },
  code_expired: { error: 'invalid_grant', description: 'The authorization code has expired' },
  code_of_other_client: { error: 'invalid_grant', description: 'The authorization code is not valid' },
  code_redirect_uri_mismatch: {
    error: 'invalid_grant',
    description: 'redirect_uri differs from the one of the authorization request',
  },
  code_verifier_mismatch: {
    error: 'invalid_grant',
    description: 'code_verifier does not match the challenge; the code can no longer be used',
  },
  code_replayed: {
    error: 'invalid_grant',
    description: 'The authorization code was used before; its tokens are revoked',
  },
  refresh_token_unknown: { error: 'invalid_grant', description: 'The refresh token is not valid' },
  refresh_token_expired: { error: 'invalid_grant', description: 'The refresh token has expired' },
  refresh_token_of_other_client: { error: 'invalid_grant', description: 'The refresh token is not valid' },
  refresh_token_reused: {
    error: 'invalid_grant',
    description: 'The refresh token was used before; its tokens are revoked',
  },
  refresh_retry_differs: {
    error: 'invalid_grant',
    description: 'The refresh token was used a moment ago for another scope or resource',
  },
  // Revocation
  token_of_other_client: { error: 'invalid_grant', description: 'The token was not issued to this client' },
  // The bearer token
  bearer_missing: { error: 'invalid_token', description: 'An access token is required' },
  bearer_malformed: { error: 'invalid_token', description: 'The Authorization header is malformed' },
  bearer_unknown: { error: 'invalid_token', description: 'The access token is unknown, expired or revoked' },
  bearer_wrong_audience: {
    error: 'invalid_token',
    description: 'The access token was issued for another resource',
  },
  bearer_subject_gone: {
    error: 'invalid_token',
    description: 'The user of this access token no longer exists',
  },
  bearer_scope_missing: {
    error: 'insufficient_scope',
    description: 'The access token lacks a scope that this needs',
  },
  // Registration
  redirect_uri_refused: { error: 'invalid_redirect_uri', description: 'A redirect URI cannot be registered' },
  client_metadata_invalid: {
    error: 'invalid_client_metadata',
    description: 'The client metadata is not valid',
  },
  // Limits. RFC 6749 has no code of its own for RFC 6585's 429
  too_many_registrations: {
    error: 'temporarily_unavailable',
    description: 'Too many clients were registered from this address; try again later',
    status: 429,
  },
  too_many_failures: {
    error: 'temporarily_unavailable',
    description: 'Too many requests of this client failed; try again later',
    status: 429,
  },
  // The server
  store_unavailable: {
    error: 'temporarily_unavailable',
    description: 'The service cannot reach its store; try again',
  },
  contention: {
    error: 'temporarily_unavailable',
    description: 'Too many requests change this grant at once; try again',
  },
  signing_key_unavailable: {
    error: 'temporarily_unavailable',
    description: 'No signing key is available; try again',
  },
  unexpected: { error: 'server_error', description: 'Something went wrong; the operator has been told' },
} as const satisfies Record<string, Refusal>

export type Reason = keyof typeof REFUSALS

export interface OAuthErrorOptions extends ErrorOptions {
  /** When it is worth trying again, in whole seconds. Default 1 for a 503. */
  readonly retryAfter?: number
}

/** A protocol refusal. `message` is the `error_description`; `reason` is for the operator only. */
export class OAuthError extends Error {
  readonly error: OAuthErrorCode
  readonly reason: Reason
  readonly status: number
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined

  /** @param detail takes the place of the table's description where it can name the offending value. */
  constructor(reason: Reason, detail?: string, options?: OAuthErrorOptions) {
    const refusal: Refusal = REFUSALS[reason]
    super(printable(detail ?? refusal.description), options)
    this.name = 'OAuthError'
    this.reason = reason
    this.error = refusal.error
    this.status = refusal.status ?? STATUS[refusal.error]
    this.retryAfter = options?.retryAfter ?? (this.status === 503 ? 1 : undefined)
  }

  /** The body of RFC 6749 5.2. */
  toJSON(): { error: OAuthErrorCode; error_description: string } {
    return { error: this.error, error_description: this.message }
  }
}

/** error_description may hold %x20-21 / %x23-5B / %x5D-7E only (RFC 6749 5.2). */
function printable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, '?')
}
