/** References are derived from what the requests of one attempt have in common, so nothing is stored to have one. */
import { sha256 } from '@grantkit/core/feature'
import { derivedKey, hmac } from '@grantkit/core/internal'
import type { AttemptIdentity } from './attempt-facts.ts'
import { referenceIn } from './reference.ts'

/**
 * The reference of an attempt: the first 40 bits of an HMAC over the client and its PKCE challenge, which the token request has
 * too (RFC 7636 4.6), or its `state`. Only this server can derive it.
 *
 * @returns a function that returns `undefined` if the request has neither
 */
export function derivation(secret: string): (identity: AttemptIdentity) => string | undefined {
  const hmacOf = hmac('sha256', derivedKey('references of sign-in attempts', secret))
  return ({ clientId = '', challenge, verifier, state }) => {
    const sent = challenge ?? (verifier === undefined ? undefined : sha256(verifier))
    if (sent === undefined && state === undefined) return undefined
    const text = JSON.stringify(
      sent === undefined ? ['state', clientId, state] : ['challenge', clientId, sent],
    )
    return referenceIn(Buffer.from(hmacOf(text), 'base64url'))
  }
}
