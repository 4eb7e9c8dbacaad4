/** Reads an assertion (RFC 7523 3), and records its use. */
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { type Hash, sha256 } from '../../kernel/secrets.ts'
import { changeRecord, type Transients } from '../../kernel/store.ts'
import type { WaitingPorts } from '../../kernel/time.ts'
import {
  type CompactJws,
  type JwtClaims,
  markedUntil,
  readJws,
  requireTimes,
  spendOnce,
} from '../../tokens/compact-jws.ts'

/** An assertion as it was sent. Nothing in it is verified. */
export interface Assertion {
  /** Its `typ` alone decides, so that no JWT of one kind passes for the other (RFC 8725 3.11). */
  readonly profile: 'id-jag' | 'workload'
  readonly jws: CompactJws
  readonly claims: JwtClaims
}

/** @throws OAuthError `invalid_grant` */
export function readAssertion(jwt: string): Assertion {
  const jws = readJws(jwt)
  if (jws?.claims === undefined || jws.signature === '')
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_malformed)
  return { profile: profileOf(jws.header.typ), jws, claims: jws.claims }
}

/** The profile by `typ`, compared without letter case and without `application/` (RFC 7515 4.1.9). */
function profileOf(typ: unknown = 'JWT'): Assertion['profile'] {
  if (typeof typ !== 'string') throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_malformed)
  const name = typ.toLowerCase().replace(/^application\//, '')
  if (name === 'oauth-id-jag+jwt') return 'id-jag'
  if (name === 'jwt' || name === 'jose') return 'workload'
  throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_typ)
}

/**
 * Checks `exp`, `iat` and `nbf` (RFC 7523 3). An assertion without `iat` is measured from now.
 *
 * @param longest the maximum lifetime of an assertion, in seconds
 * @returns `exp`, in epoch seconds
 * @throws OAuthError `invalid_grant`
 */
export function endOf(claims: JwtClaims, longest: number, now: number): number {
  const { exp, iat = now } = requireTimes(claims, now, JWT_ERRORS)
  if (exp - iat > longest + CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_too_long)
  return exp
}

/** Names an assertion: its profile, its issuer, and its `jti` or its text. */
export function assertionId(...parts: readonly string[]): Hash {
  return sha256(JSON.stringify(['jwt bearer', ...parts]))
}

/** How often an assertion may be used. The store counts, so that it holds on all replicas. */
export interface AssertionUse {
  readonly id: Hash
  /** `exp` of the assertion, in epoch seconds. */
  readonly exp: number
  /** `Infinity`: until it expires. */
  readonly atMost: number
}

/** Refuses an assertion that is used up, before it counts for any limit. @throws OAuthError `invalid_grant` */
export async function requireUnused(transients: Transients, use: AssertionUse): Promise<void> {
  if (use.atMost !== Number.POSITIVE_INFINITY) usesOf((await transients.find(use.id))?.value, use)
}

/** The last step before the grant is stored. @throws OAuthError `invalid_grant` for all but `atMost` of several at once */
export async function markUsed(
  transients: Transients,
  use: AssertionUse,
  ports: WaitingPorts,
): Promise<void> {
  const { id, exp, atMost } = use
  if (atMost === Number.POSITIVE_INFINITY) return
  const expiresAt = markedUntil(exp)
  if (atMost === 1) return spendOnce(transients, id, expiresAt, JWT_GRANT_ERRORS.jwt_grant_replayed)
  await changeRecord(transients, id, ports, (seen) => {
    return { kind: 'assertion uses', uses: usesOf(seen, use) + 1, expiresAt }
  })
}

function usesOf(seen: Transient | undefined, { atMost }: AssertionUse): number {
  const uses = seen === undefined ? 0 : Number(seen.uses ?? 1)
  if (uses >= atMost) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
  return uses
}

/** One text for all faults of an assertion: an attacker learns nothing, and the event `assertion_refused` has the reason. */
const NOT_ACCEPTED =
  'The assertion is not accepted. Check its issuer, type, signature, audience, times and jti, or ask the operator'

export const JWT_GRANT_ERRORS = defineErrors({
  jwt_grant_malformed: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_typ: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_issuer: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_algorithm: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_signature: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_claims: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_audience: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_expired: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_early: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_too_long: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_replayed: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_client: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_resource: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_subject: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_key: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_rule: ['invalid_grant', NOT_ACCEPTED],
  jwt_grant_client_public: [
    'invalid_client',
    'This grant requires client authentication. Use a confidential client',
  ],
  jwt_grant_scope: ['invalid_scope', 'No requested scope is allowed for this assertion'],
  jwt_grant_target: ['invalid_target', 'resource must be one that the assertion allows. Name one'],
  jwt_grant_keys_unreachable: [
    'temporarily_unavailable',
    'The keys of the issuer cannot be fetched at the moment. Try again later',
  ],
  too_many_jwt_grants: [
    'temporarily_unavailable',
    'Too many tokens were requested for this subject. Use each until it expires',
    429,
  ],
})

/** By what is checked of every signed JWT. */
export const JWT_ERRORS = {
  algorithm: JWT_GRANT_ERRORS.jwt_grant_algorithm,
  signature: JWT_GRANT_ERRORS.jwt_grant_signature,
  audience: JWT_GRANT_ERRORS.jwt_grant_audience,
  endless: JWT_GRANT_ERRORS.jwt_grant_claims,
  claims: JWT_GRANT_ERRORS.jwt_grant_claims,
  expired: JWT_GRANT_ERRORS.jwt_grant_expired,
  early: JWT_GRANT_ERRORS.jwt_grant_early,
}
