/**
 * What one person wants once is a *sign-in attempt*: from the first request of an app to the first call of the API. It has a
 * *reference*, and consists of *steps*. Only the observer `signInAttempts` makes them.
 */

/**
 * The steps of a sign-in attempt, each named after its good outcome. With the outcome `refused` or `failed` the step was tried.
 * A request that is refused before its step is known is `request_refused`.
 */
export type StepName =
  | 'registered'
  | 'requested'
  | 'client_found'
  | 'request_refused'
  | 'sign_in_shown'
  | 'signed_in'
  | 'consent_shown'
  | 'allowed'
  | 'denied'
  | 'expired'
  | 'sent_back'
  | 'code_redeemed'
  | 'refreshed'
  | 'first_call'
  | 'ended'

/**
 * What is known of a step. It never has a code, token, verifier, secret, `state`, `nonce`, ticket or cookie, no query, body,
 * name or e-mail address, and no whole IP address.
 */
export interface StepFacts {
  /** The reason of the error, or why a grant ended. */
  readonly reason?: string | undefined
  /** As the request names it, if no such client exists. */
  readonly clientId?: string | undefined
  /** The id of the client to which its redirect URI belongs. */
  readonly knownClient?: string | undefined
  readonly clientKind?: 'registered' | 'document' | 'integration' | undefined
  /** Scheme, host and path. */
  readonly redirectUri?: string | undefined
  /** Requested, allowed or issued scopes, by the step. */
  readonly scopes?: readonly string[] | undefined
  /** The requested resource indicators, or the resource of the guard, separated by spaces. */
  readonly resource?: string | undefined
  /** What the server would have accepted in place of `redirectUri`, `resource` or `clientId`, separated by spaces. */
  readonly expected?: string | undefined
  readonly endpoint?: string | undefined
  /** The HTTP status of an error. */
  readonly status?: number | undefined
  /** Of the caller: its first 24 bits, of IPv6 48. */
  readonly network?: string | undefined
  /** The user, once signed in. */
  readonly subject?: string | undefined
  /** How the user signed in, as the session says it. */
  readonly signedInBy?: string | undefined
  readonly grantId?: string | undefined
  /** Who ended the grant. */
  readonly by?: 'client' | 'user' | 'operator' | 'server' | undefined
  /** Where the document of the client comes from, if it has one. */
  readonly document?: 'host' | 'cache' | 'last approval' | 'copy' | undefined
  /** Why the document or the keys of the client could not be read. For the operator only. */
  readonly fault?: string | undefined
  /** The request has the `DOCTOR_AGENT`. */
  readonly probe?: true | undefined
}

/** The `User-Agent` of the requests of `@grantkit/doctor`. Anybody can send the same one. */
export const DOCTOR_AGENT = 'grantkit-doctor'

/** A step of a sign-in attempt. */
export interface StepEvent extends StepFacts {
  readonly type: 'step'
  /** The reference of the attempt: 8 characters, without a dash. */
  readonly reference: string
  /** Epoch seconds. */
  readonly at: number
  readonly step: StepName
  readonly outcome: StepOutcome
}

/** `refused`: the request is at fault, or the user has denied. `failed`: the server or its store is. */
export type StepOutcome = 'ok' | 'refused' | 'failed'
