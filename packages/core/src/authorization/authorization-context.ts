import type { RedirectUriPolicy } from '../clients/redirect-uri.ts'
import type { HttpRequest } from '../http/http.ts'
import type { PageView } from '../http/page.ts'
import type { Kernel, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors } from '../kernel/oauth-error.ts'
import { type AcceptedSecrets, sha256 } from '../kernel/secrets.ts'
import type { Limiter, RateLimits } from '../limits/rate-limits.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { AuthorizationRequest, OpenedRequest, RequestOptions } from './authorization-request.ts'
import type { CallbackOptions, Interaction, Session } from './interaction.ts'
import type { RequestSources } from './presented-request.ts'
import type { RedirectTarget } from './redirect-target.ts'
import type { AuthenticationClasses } from './sign-in.ts'
import type { SessionObserver } from './user-sessions.ts'

/** Input of every step of the authorization endpoint. */
export interface AuthorizationContext extends CallbackOptions {
  readonly kernel: Kernel
  readonly interaction: Interaction
  readonly secret: AcceptedSecrets
  readonly requestOptions: RequestOptions
  readonly keys: SigningKeys
  readonly limiter: Limiter
  /** Absent if no token is bound to a key. */
  readonly senderConstraint?: SenderConstraint | undefined
  /** Absent if all requests are plain parameters. */
  readonly requestSources?: RequestSources | undefined
  /** Names the session in the grants of clients that hear of its end. */
  readonly sessions: SessionObserver
  readonly authenticationClasses: AuthenticationClasses
  /** Validates what the document of a client lists. */
  readonly redirectUriPolicy: RedirectUriPolicy
  /** Seconds. */
  readonly lifetimes: { readonly code: number; readonly grant: number; readonly consentTicket: number }
  /** Paths of the two pages, from the root of the host. */
  readonly paths: { readonly authorize: string; readonly consent: string }
}

/** The state of an authorization request. It is carried in the URL: nothing is stored before the user decides. */
export interface AuthorizationAttempt {
  readonly http: HttpRequest
  readonly target: RedirectTarget
  readonly request: AuthorizationRequest
  /** The query string, as the client sent it. */
  readonly query: string
  /** Absent if the request came as plain parameters. */
  readonly opened?: OpenedRequest | undefined
  /** When it demanded the sign-in from which the user has just come back. */
  readonly signInDemanded?: number | undefined
  /** The user has just sent a consent form that did not count. */
  readonly formExpired: boolean
  /** That form allowed, and no scope was ticked. */
  readonly allowsNothing?: boolean | undefined
  readonly page: PageView
}

export const DOCUMENT_LIMIT_ERRORS = defineErrors({
  too_many_unknown_documents: [
    'temporarily_unavailable',
    'Too many unknown clients were tried. Try again later',
    429,
  ],
})

export const AUTHORIZATION_LIMITS: RateLimits = { unknown_document: { points: 10, seconds: 3600 } }

/** The user who authorizes a client, and so may cause a fetch of its document. @param shown hash of the document on the consent page */
export function requestingUser(
  { limiter }: AuthorizationContext,
  request: HttpRequest,
  { subject }: Session,
  shown?: string,
): RequestingUser {
  const { too_many_unknown_documents } = DOCUMENT_LIMIT_ERRORS
  const countUnknown = () => limiter.limit('unknown_document', sha256(subject), too_many_unknown_documents)
  return { subject, request, shown, countUnknown }
}
