import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { ClientCredentials } from '../clients/authentication/client-authentication.ts'
import { MAX_CLIENT_ID_LENGTH } from '../clients/client-sources.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { ASSERTION_ERRORS } from './assertion-errors.ts'

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
const MAX_ASSERTION_LENGTH = 8 * 1024

/** @throws OAuthError `invalid_client` when there is none, or when it is no JWT */
export function readAssertion({
  client_assertion: jwt,
  client_assertion_type,
}: ClientCredentials): Assertion {
  const { assertion_malformed } = ASSERTION_ERRORS
  if (client_assertion_type !== ASSERTION_TYPE || jwt === undefined || jwt.length > MAX_ASSERTION_LENGTH)
    throw new OAuthError(assertion_malformed)
  try {
    const [header, claims] = [decodeProtectedHeader(jwt), decodeJwt(jwt)]
    const { sub: subject } = claims
    if (typeof subject !== 'string' || subject.length > MAX_CLIENT_ID_LENGTH)
      throw new Error('It names no client')
    return { jwt, header: { ...header }, claims, subject }
  } catch (cause) {
    throw new OAuthError(assertion_malformed, undefined, { cause })
  }
}
