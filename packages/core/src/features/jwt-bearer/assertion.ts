/** Reads an assertion (RFC 7523 3, RFC 7515). Nothing in it is verified here. */
import * as z from 'zod'
import { CLOCK_TOLERANCE, type Kernel } from '../../kernel/kernel.ts'
import { OAuthError, SERVER_ERRORS } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { type Hash, sha256 } from '../../kernel/secrets.ts'
import type { Stored, Transients } from '../../kernel/store.ts'
import { IN_WORKER, pauseAfter, type WaitingPorts } from '../../kernel/time.ts'
import { decodedJson, isFor, type JwsAlgorithm, type PublicJwk } from '../../tokens/jwk.ts'
import { requireVerifiable, type SignatureCheck, signatureCheck } from '../../tokens/jws-signature.ts'
import type { IssuerKeys } from './issuer-keys.ts'
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

/** Seconds after which keys are fetched again: regularly, and for a signature by an unknown key. */
const FRESH = 5 * 60
const MIN_INTERVAL = 60
/** Seconds after which keys in use are fetched again in the background. In a Worker, no fetch outlives its request. */
const AGED = IN_WORKER ? FRESH : FRESH / 2

/**
 * Requires that a key of the issuer has signed the assertion. The algorithm is checked before any key is looked at (RFC 8725 3.1).
 *
 * @throws OAuthError `invalid_grant`, or 503 while the keys cannot be fetched
 */
export async function verifySignature(
  assertion: Assertion,
  { algorithms, keys }: IssuerKeys,
  { now }: Pick<Kernel, 'now'>,
): Promise<void> {
  const alg = algorithms.find((name) => name === assertion.alg)
  if (alg === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_algorithm)
  const known = await keys(now() - FRESH, now() - AGED)
  if (isSignedBy(assertion, alg, known)) return
  // The key may be new.
  const latest = await keys(now() - MIN_INTERVAL)
  if (latest === known || !isSignedBy(assertion, alg, latest))
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_signature)
}

/** Limits the work for an assertion without a `kid`. */
const MAX_TRIED_KEYS = 8

function isSignedBy(
  { kid, signed, signature }: Assertion,
  alg: JwsAlgorithm,
  keys: readonly PublicJwk[],
): boolean {
  const fitting = keys.filter((key) => isFor(alg, key) && (kid === undefined || key.kid === kid))
  const [text, bytes] = [Buffer.from(signed), Buffer.from(signature, 'base64url')]
  return fitting.slice(0, MAX_TRIED_KEYS).some((key) => verifies(alg, key, text, bytes))
}

function verifies(alg: JwsAlgorithm, key: PublicJwk, text: Buffer, signature: Buffer): boolean {
  try {
    return checkOf(alg, key)?.(text, signature) === true
  } catch (thrown) {
    requireVerifiable(alg, thrown)
    return false
  }
}

/** Imported keys: an import takes as long as a verification. */
const imported = new WeakMap<PublicJwk, Map<JwsAlgorithm, SignatureCheck | undefined>>()

function checkOf(alg: JwsAlgorithm, key: PublicJwk): SignatureCheck | undefined {
  const checks = imported.get(key) ?? new Map<JwsAlgorithm, SignatureCheck | undefined>()
  imported.set(key, checks)
  if (!checks.has(alg)) checks.set(alg, signatureCheck(alg, key))
  return checks.get(alg)
}

/** A NumericDate may have a fraction (RFC 7519 2), which is cut. */
const NumericDate = z.number().min(0).max(Number.MAX_SAFE_INTEGER).transform(Math.floor)
const Times = z.object({ exp: NumericDate, iat: NumericDate.optional(), nbf: NumericDate.optional() })

/**
 * Checks `exp`, `iat` and `nbf` (RFC 7523 3). An assertion without `iat` is measured from now.
 *
 * @param longest the maximum lifetime of an assertion, in seconds
 * @returns `exp`, in epoch seconds
 * @throws OAuthError `invalid_grant`
 */
export function checkTimes(claims: AssertionClaims, longest: number, now: number): number {
  const times = Times.safeParse(claims).data
  if (times === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  const { exp, iat = now, nbf = now } = times
  if (exp <= now - CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_expired)
  if (Math.max(iat, nbf) > now + CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_early)
  if (exp - iat > longest + CLOCK_TOLERANCE) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_too_long)
  return exp
}

/**
 * Checks `aud`. An array of several audiences is refused: another server could have requested the assertion to replay it here
 * (RFC 7523bis 4).
 *
 * @throws OAuthError `invalid_grant`
 */
export function checkAudience(
  { aud }: AssertionClaims,
  accepted: readonly string[],
  manyAudiences = false,
): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isFor = named.some((one) => accepted.some((audience) => audience === one))
  if (!isFor || (named.length !== 1 && !manyAudiences))
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_audience)
}

// Records that an assertion was used. The store decides, so that it holds on all replicas.

/** Names an assertion: its profile, its issuer, and its `jti` or its text. */
export function assertionId(...parts: readonly string[]): Hash {
  return sha256(JSON.stringify(['jwt bearer', ...parts]))
}

/** A mark outlives the assertion on every replica: the clock of the store may be ahead of theirs, which tolerate others too. */
function markedUntil(exp: number): number {
  return exp + 2 * CLOCK_TOLERANCE
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
    async mark() {
      if (!(await transients.insert(id, { kind: 'seen', expiresAt }, expiresAt)))
        throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    },
  }
}

/** Platforms reuse a token for most of its life: one for each restart of a program is enough. */
const MAX_USES = 20
/** More lost races than this on one assertion are an attack or a fault. */
const MAX_ATTEMPTS = 16

/** At most 20 requests with this assertion succeed. */
export function severalTimes(
  transients: Transients,
  id: Hash,
  exp: number,
  ports: WaitingPorts,
): AssertionUse {
  const usesOf = (seen: Stored<Transient> | undefined) => {
    const uses = Number(seen?.value.uses ?? 0)
    if (uses >= MAX_USES) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_replayed)
    return uses
  }
  return {
    async require() {
      usesOf(await transients.find(id))
    },
    mark: () => countUse(transients, id, { expiresAt: markedUntil(exp), usesOf, ports }),
  }
}

interface Counted {
  /** Epoch seconds. */
  readonly expiresAt: number
  /** @throws OAuthError if there are enough */
  readonly usesOf: (seen: Stored<Transient> | undefined) => number
  readonly ports: WaitingPorts
}

async function countUse(
  transients: Transients,
  id: Hash,
  { expiresAt, usesOf, ports }: Counted,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, ports)
    const seen = await transients.find(id)
    const record = { kind: 'assertion uses', uses: usesOf(seen) + 1, expiresAt }
    const isWritten =
      seen === undefined
        ? await transients.insert(id, record, expiresAt)
        : await transients.replace(id, seen, record, expiresAt)
    if (isWritten) return
  }
  throw new OAuthError(SERVER_ERRORS.contention)
}
