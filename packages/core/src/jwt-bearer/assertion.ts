/** Reads an assertion (RFC 7523 3, RFC 7515). Nothing in it is verified here. */
import * as z from 'zod'
import { OAuthError } from '../kernel/oauth-error.ts'
import { decodedJson } from '../tokens/jwk.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

/** In characters. */
export const MAX_ASSERTION_LENGTH = 16 * 1024

/** What an assertion is. Its `typ` alone decides, so that no JWT of one kind passes for the other (RFC 8725 3.11). */
type AssertionProfile = 'id-jag' | 'workload'

export type AssertionClaims = Readonly<Record<string, unknown>>

/** An assertion as it was sent. */
export interface Assertion {
  readonly profile: AssertionProfile
  readonly alg: string
  readonly kid?: string | undefined
  readonly claims: AssertionClaims
  /** What the signature covers. */
  readonly signed: string
  readonly signature: string
}

/** `jwk`, `jku`, `x5u` and `x5c` are never read (RFC 8725 3.10). An extension that is not understood is refused (RFC 7515 4.1.11). */
const Header = z.object({
  alg: z.string(),
  kid: z.string().max(200).optional(),
  typ: z.string().optional(),
  crit: z.never().optional(),
})
const Claims = z.record(z.string(), z.unknown())

/** Three parts: a JWE has five, and an unsecured JWT has no signature. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** @throws OAuthError `invalid_grant` */
export function readAssertion(jwt: string): Assertion {
  if (!COMPACT_JWS.test(jwt)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_malformed)
  const [header, payload, signature] = jwt.split('.') as [string, string, string]
  const read = Header.safeParse(decodedJson(header)).data
  const claims = Claims.safeParse(decodedJson(payload)).data
  if (read === undefined || claims === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_malformed)
  const { alg, kid, typ } = read
  return { profile: profileOf(typ), alg, kid, claims, signed: `${header}.${payload}`, signature }
}

/** The profile by `typ`, compared without letter case and without `application/` (RFC 7515 4.1.9). */
function profileOf(typ = 'JWT'): AssertionProfile {
  const name = typ.toLowerCase().replace(/^application\//, '')
  if (name === 'oauth-id-jag+jwt') return 'id-jag'
  if (name === 'jwt' || name === 'jose') return 'workload'
  throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_typ)
}
