import type { RedirectUriPolicy } from '../clients/redirect-uri.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { AuthorizationRequest, RedirectTarget } from './authorization-request.ts'
import type { Interaction } from './interaction.ts'

/** Input of every step in this room. */
export interface AuthorizationContext {
  readonly kernel: Kernel
  readonly interaction: Interaction
  readonly secret: string
  readonly defaultScope: string | undefined
  readonly keys: SigningKeys
  /** Judges what the document of a client lists. */
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
  /** The user has just come back from the sign-in that this request demanded. */
  readonly signedInForThis: boolean
}
