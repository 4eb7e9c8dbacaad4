/** Reads an assertion (RFC 7523 3), and records its use. */
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
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
import { JWT_ERRORS, JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

/** In characters. */
export const MAX_ASSERTION_LENGTH = 16 * 1024

/** What an assertion is. Its `typ` alone decides, so that no JWT of one kind passes for the other (RFC 8725 3.11). */
type AssertionProfile = 'id-jag' | 'workload'

/** An assertion as it was sent. Nothing in it is verified. */
export interface Assertion {
  readonly profile: AssertionProfile
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
function profileOf(typ: unknown = 'JWT'): AssertionProfile {
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

// Records that an assertion was used. The store decides, so that it holds on all replicas.

/** Names an assertion: its profile, its issuer, and its `jti` or its text. */
export function assertionId(...parts: readonly string[]): Hash {
  return sha256(JSON.stringify(['jwt bearer', ...parts]))
}

/** How an assertion is used up. */
export interface AssertionUse {
  /** Refuses an assertion that is used up, before it counts for any limit. @throws OAuthError `invalid_grant` */
  require(): Promise<void>
  /** The last step before the grant is stored. @throws OAuthError `invalid_grant` for all but one of several at once */
  mark(): Promise<void>
}

/** For assertions that are accepted until they expire. */
export const UNCOUNTED: AssertionUse = { require: async () => {}, mark: async () => {} }

/** Exactly one request with this assertion succeeds. */
export function onceOnly(transients: Transients, id: Hash, exp: number): AssertionUse {
  const expiresAt = markedUntil(exp)
  return {
    async require() {
      if (await transients.find(id)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    },
    mark: () => spendOnce(transients, id, expiresAt, JWT_GRANT_ERRORS.jwt_grant_replayed),
  }
}

/** Platforms reuse a token for most of its life: one for each restart of a program is enough. */
const MAX_USES = 20

/** At most 20 requests with this assertion succeed. */
export function severalTimes(
  transients: Transients,
  id: Hash,
  exp: number,
  ports: WaitingPorts,
): AssertionUse {
  const usesOf = (seen: Transient | undefined) => {
    const uses = Number(seen?.uses ?? 0)
    if (uses >= MAX_USES) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    return uses
  }
  const expiresAt = markedUntil(exp)
  return {
    async require() {
      usesOf((await transients.find(id))?.value)
    },
    async mark() {
      await changeRecord(transients, id, ports, (seen) => {
        return { kind: 'assertion uses', uses: usesOf(seen) + 1, expiresAt }
      })
    },
  }
}
