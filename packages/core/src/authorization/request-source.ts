import type { HttpRequest } from '../http/http.ts'
import type { Parameters } from '../http/message.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { optionalProofKey, type SenderConstraint } from '../tokens/proof-of-possession.ts'

/** An authorization request that a client sent directly, before the browser (RFC 9126). */
export interface PushedRequest {
  readonly clientId: string
  /** Its parameters, `application/x-www-form-urlencoded`. */
  readonly query: string
  /** Epoch seconds. */
  readonly pushedAt: number
  /** The client was not known when it pushed: neither its credentials nor its request were checked. */
  readonly unapproved?: boolean | undefined
}

/** Where the requests are that a browser brings as a `request_uri`, and which clients must use one. */
export interface AuthorizationRequestSource {
  /** Seconds in which the browser must arrive. */
  readonly lifetime: number
  /** The request behind a `request_uri`; `undefined` if this server made no such URI. */
  open(requestUri: string): PushedRequest | undefined
  /** Whether the requests of this client must come from here. */
  required(client: Client): boolean
}

/**
 * Validates the parameters of a request as the authorization endpoint does, and returns those to keep. Without a client, only
 * their form: the rest is checked when the browser arrives (RFC 9126 2.1). @throws OAuthError
 */
export type ValidateRequest = (sent: Parameters, push: HttpRequest, client?: Client) => Parameters

export const PUSHED_KEY_ERRORS = defineErrors({
  pushed_keys_differ: [
    'invalid_request',
    'dpop_jkt differs from the key of the DPoP proof. Use one key, or leave out dpop_jkt',
  ],
})

/** A push may prove the key that the code is bound to, instead of naming it (RFC 9449 10.1). @throws OAuthError */
export function boundToProvenKey(
  constraint: SenderConstraint | undefined,
  sent: Parameters,
  request: HttpRequest,
  client?: Client,
): Parameters {
  const dpop_jkt = optionalProofKey(constraint, request, client)?.thumbprint
  if (dpop_jkt === undefined) return sent
  if (sent.dpop_jkt !== undefined && sent.dpop_jkt !== dpop_jkt)
    throw new OAuthError(PUSHED_KEY_ERRORS.pushed_keys_differ)
  return { ...sent, dpop_jkt }
}
