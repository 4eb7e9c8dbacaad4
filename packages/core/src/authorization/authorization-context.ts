import type { RedirectUriPolicy } from '../clients/redirect-uri.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import type { AcceptedSecrets } from '../kernel/server-secret.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { AuthorizationRequest, RequestOptions } from './authorization-request.ts'
import type { Interaction, Session } from './interaction.ts'
import type { PushedRequests } from './pushed-requests.ts'
import type { RedirectTarget } from './redirect-target.ts'
import type { CallbackOptions } from './shown-callback.ts'

/** Input of every step in this room. */
export interface AuthorizationContext extends CallbackOptions {
  readonly kernel: Kernel
  readonly interaction: Interaction
  readonly secret: AcceptedSecrets
  readonly requestOptions: RequestOptions
  readonly keys: SigningKeys
  readonly limits: RateLimits
  /** Absent if no token is bound to a key. */
  readonly senderConstraint?: SenderConstraint | undefined
  /** Absent if no client can push its requests. */
  readonly pushed?: PushedRequests | undefined
  /** Validates what the document of a client lists. */
  readonly redirectUriPolicy: RedirectUriPolicy
  /** Seconds. */
  readonly lifetimes: { readonly code: number; readonly grant: number; readonly consentTicket: number }
  /** Paths of the two pages, from the root of the host. */
  readonly paths: { readonly authorize: string; readonly consent: string }
}

/**
 * The state of an authorization request. It travels through the browser: nothing is stored before the user decides.
 */
export interface AuthorizationAttempt {
  readonly target: RedirectTarget
  readonly request: AuthorizationRequest
  /** The query string, as the client sent it. */
  readonly query: string
  /** The name of the request, if the client pushed it. */
  readonly requestUri?: string | undefined
  /** The user has just come back from the sign-in that this request demanded. */
  readonly signedInForThis: boolean
  /** The user has just sent a consent form that did not count. */
  readonly formLapsed: boolean
}

/** The user for whom a host may be asked about a client. @param shown hash of the document on the consent page */
export function requestingUser(
  { limits }: AuthorizationContext,
  { subject }: Session,
  shown?: string,
): RequestingUser {
  return { subject, shown, countUnknown: () => limits.limitUnknownDocuments(subject) }
}
