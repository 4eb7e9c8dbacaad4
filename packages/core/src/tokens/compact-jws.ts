/** JWTs that others have signed: assertions (RFC 7523 3) and DPoP proofs. The callers bring the keys and the errors. */
import * as z from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import { RecentlyUsed } from '../kernel/recently-used.ts'
import type { Hash } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { IN_WORKER } from '../kernel/time.ts'
import { decodedJson, isFor, type JwsAlgorithm, type PublicJwk, type PublicKeyMembers } from './jwk.ts'
import { requireVerifiable, type SignatureCheck, signatureCheck } from './jws-signature.ts'

export type JwtClaims = Readonly<Record<string, unknown>>

/** A JWS in compact form (RFC 7515 7.1), as it was sent. Nothing in it is verified. */
export interface CompactJws {
  readonly header: z.output<typeof Header>
  /** `undefined` unless the payload is a JSON object. */
  readonly claims: JwtClaims | undefined
  /** What the signature covers. */
  readonly signed: string
  /** Empty in an unsecured JWT (RFC 7519 6). */
  readonly signature: string
}

/** `jku`, `x5u` and `x5c` are never read (RFC 8725 3.10). An extension that is not understood is refused (RFC 7515 4.1.11). */
const Header = z.object({
  alg: z.unknown().optional(),
  kid: z.unknown().optional(),
  typ: z.unknown().optional(),
  jwk: z.unknown().optional(),
  crit: z.undefined().optional(),
})

/** Three parts: a JWE has five. */
const COMPACT_JWS = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/

/** @returns `undefined` for a text that is none, or that needs an extension */
export function readJws(jwt: string): CompactJws | undefined {
  const [, encodedHeader = '', payload = '', signature = ''] = COMPACT_JWS.exec(jwt) ?? []
  const header = Header.safeParse(decodedJson(encodedHeader)).data
  const claims = decodedJson(payload)
  const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims)
  if (header === undefined) return undefined
  const signed = `${encodedHeader}.${payload}`
  return { header, claims: isObject ? (claims as JwtClaims) : undefined, signed, signature }
}

/** The keys used last. Importing a key takes a third of the time of a verification, and a key signs many JWTs. */
const checks = new RecentlyUsed<SignatureCheck>(1000)

function checkOf(alg: JwsAlgorithm, key: PublicKeyMembers): SignatureCheck | undefined {
  const name = `${alg} ${JSON.stringify(key)}`
  const known = checks.get(name)
  if (known !== undefined) return known
  const check = signatureCheck(alg, key)
  if (check !== undefined) checks.set(name, check)
  return check
}

/** Whether the sender has the private key. @throws Error if this runtime cannot verify the algorithm */
export function isSignedBy(
  key: PublicKeyMembers,
  alg: JwsAlgorithm,
  { signed, signature }: CompactJws,
): boolean {
  try {
    return checkOf(alg, key)?.(Buffer.from(signed), Buffer.from(signature, 'base64url')) ?? false
  } catch (thrown) {
    requireVerifiable(alg, thrown)
    return false
  }
}

/** The keys of an issuer, and what they may sign with: never `none` or a symmetric algorithm (RFC 8725 3.1). */
export interface VerificationKeys {
  readonly algorithms: readonly JwsAlgorithm[]
  /** As `FetchedKeys`, of the issuer. */
  readonly keys: (since: number, ahead?: number) => Promise<readonly PublicJwk[]>
}

/** What a message calls its faults. */
export interface JwtErrors {
  readonly algorithm: ErrorDefinition
  readonly signature: ErrorDefinition
  readonly audience: ErrorDefinition
  /** `exp` is missing or no time. */
  readonly endless: ErrorDefinition
  /** `iat` or `nbf` is no time. */
  readonly claims: ErrorDefinition
  readonly expired: ErrorDefinition
  readonly early: ErrorDefinition
}

/** Seconds after which keys are fetched again: regularly, and for a signature by an unknown key. */
const FRESH = 5 * 60
const MIN_INTERVAL = 60
/** Seconds after which keys in use are fetched again in the background. In a Worker, no fetch outlives its request. */
const AGED = IN_WORKER ? FRESH : FRESH / 2

/**
 * The algorithm is checked before any key is looked at (RFC 8725 3.1).
 *
 * @throws OAuthError, of the keys too
 * @throws Error if this runtime cannot verify the algorithm
 */
export async function requireSignature(
  jws: CompactJws,
  { algorithms, keys }: VerificationKeys,
  now: number,
  errors: JwtErrors,
): Promise<void> {
  const alg = algorithms.find((name) => name === jws.header.alg)
  if (alg === undefined) throw new OAuthError(errors.algorithm)
  const known = await keys(now - FRESH, now - AGED)
  if (isSignedByOne(known, alg, jws)) return
  // The key may be new.
  const latest = await keys(now - MIN_INTERVAL)
  if (latest === known || !isSignedByOne(latest, alg, jws)) throw new OAuthError(errors.signature)
}

/** Limits the work for a JWT without a `kid`. */
const MAX_TRIED_KEYS = 8

function isSignedByOne(keys: readonly PublicJwk[], alg: JwsAlgorithm, jws: CompactJws): boolean {
  const { kid } = jws.header
  const fitting = keys.filter((key) => isFor(alg, key) && (kid === undefined || key.kid === kid))
  return fitting.slice(0, MAX_TRIED_KEYS).some((key) => isSignedBy(key, alg, jws))
}

/** A JWT is for one server: another one of several audiences could have requested it to replay it here (RFC 7523bis 3 and 4). */
export function requireAudience(
  { aud }: JwtClaims,
  accepted: readonly string[],
  errors: JwtErrors,
  manyAudiences = false,
): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isNamed = accepted.some((audience) => named.includes(audience))
  if (!isNamed || (named.length !== 1 && !manyAudiences)) throw new OAuthError(errors.audience)
}

/** A NumericDate may have a fraction (RFC 7519 2), which is cut. */
const NumericDate = z.number().min(0).max(Number.MAX_SAFE_INTEGER).transform(Math.floor)
const Times = z.object({ exp: NumericDate, iat: NumericDate.optional(), nbf: NumericDate.optional() })

/** Checks `exp`, `iat` and `nbf` (RFC 7523 3). @returns them, in epoch seconds @throws OAuthError */
export function requireTimes(claims: JwtClaims, now: number, errors: JwtErrors): z.output<typeof Times> {
  const { data: times, error } = Times.safeParse(claims)
  if (times === undefined)
    throw new OAuthError(error.issues.some(({ path }) => path[0] === 'exp') ? errors.endless : errors.claims)
  if (times.exp <= now - CLOCK_TOLERANCE) throw new OAuthError(errors.expired)
  if (Math.max(times.iat ?? now, times.nbf ?? now) > now + CLOCK_TOLERANCE) throw new OAuthError(errors.early)
  return times
}

/** When the mark of a used JWT may go: after the JWT on every replica, as each tolerates other clocks, and that of the store. */
export function markedUntil(exp: number): number {
  return exp + 2 * CLOCK_TOLERANCE
}

/** Exactly one request with this JWT succeeds, however many arrive and on whichever replica. @throws OAuthError `replayed` */
export async function spendOnce(
  transients: Transients,
  id: Hash,
  expiresAt: number,
  replayed: ErrorDefinition,
): Promise<void> {
  if (!(await transients.insert(id, { kind: 'seen', expiresAt }, expiresAt))) throw new OAuthError(replayed)
}
