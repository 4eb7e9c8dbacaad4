import { IN_WORKER } from '../kernel/in-worker.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { isFor, type JwsAlgorithm, type PublicJwk } from '../tokens/jwk.ts'
import { requireVerifiable, type SignatureCheck, signatureCheck } from '../tokens/jws-signature.ts'
import type { Assertion } from './assertion.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

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
