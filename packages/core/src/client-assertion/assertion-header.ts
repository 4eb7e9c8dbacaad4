import { z } from 'zod'
import { OAuthError } from '../kernel/oauth-error.ts'
import { ASSERTION_ERRORS } from './assertion-errors.ts'

/** The type of the key that an algorithm needs: `crv`, or `kty` where there is none (RFC 7518 3.1, RFC 8037 3.1). */
export const KEY_TYPES = { ES256: 'P-256', EdDSA: 'Ed25519', PS256: 'RSA', RS256: 'RSA' } as const
export type AssertionAlgorithm = keyof typeof KEY_TYPES

/**
 * An assertion need not say its type (RFC 7523bis 3.2). One that says it is something else was made for something else: an
 * ID token, an access token or a DPoP proof that the same key has signed.
 */
const TYPES: readonly unknown[] = [
  undefined,
  'jwt',
  'client-authentication+jwt',
  // The name in draft-ietf-oauth-client-id-metadata-document.
  'oauth-client-auth+jwt',
]

export interface AssertionHeader {
  readonly alg: AssertionAlgorithm
  readonly kid?: string | undefined
}

/** @param accepted neither `none` nor a symmetric algorithm is ever in it (RFC 8725 3.1) @throws OAuthError `invalid_client` */
export function checkedHeader(
  { alg, typ, kid, crit }: Readonly<Record<string, unknown>>,
  accepted: readonly AssertionAlgorithm[],
): AssertionHeader {
  const algorithm = accepted.find((one) => one === alg)
  if (algorithm === undefined) throw new OAuthError(ASSERTION_ERRORS.assertion_algorithm)
  if (!TYPES.includes(mediaType(typ))) throw new OAuthError(ASSERTION_ERRORS.assertion_typ)
  const keyId = z.string().optional().safeParse(kid)
  // This server understands no extension (RFC 7515 4.1.11).
  if (crit !== undefined || !keyId.success) throw new OAuthError(ASSERTION_ERRORS.assertion_malformed)
  return { alg: algorithm, kid: keyId.data }
}

/** Letter case and `application/` do not count (RFC 7515 4.1.9). */
function mediaType(typ: unknown): unknown {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
}
