import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { ClientCredentials } from '../clients/authentication/client-authentication.ts'
import { LONGEST_CLIENT_ID } from '../clients/client-sources.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { ASSERTION_REFUSALS } from './assertion-refusals.ts'

/** An assertion as it was sent. Nothing of it is verified. */
export interface Assertion {
  readonly jwt: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** Who it says it is about. It finds the keys of a request without `client_id` (RFC 7521 4.2). */
  readonly subject: string
}

/** RFC 7523 2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const LONGEST_ASSERTION = 8 * 1024

/** @throws OAuthError `invalid_client` when there is none, or when it is no JWT */
export function readAssertion({
  client_assertion: jwt,
  client_assertion_type,
}: ClientCredentials): Assertion {
  const { assertion_malformed } = ASSERTION_REFUSALS
  if (client_assertion_type !== ASSERTION_TYPE || jwt === undefined || jwt.length > LONGEST_ASSERTION)
    throw new OAuthError(assertion_malformed)
  try {
    const [header, claims] = [decodeProtectedHeader(jwt), decodeJwt(jwt)]
    const { sub: subject } = claims
    if (typeof subject !== 'string' || subject.length > LONGEST_CLIENT_ID)
      throw new Error('It names no client')
    return { jwt, header: { ...header }, claims, subject }
  } catch (cause) {
    throw new OAuthError(assertion_malformed, undefined, { cause })
  }
}
