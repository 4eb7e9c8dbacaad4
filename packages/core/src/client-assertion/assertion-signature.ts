/** Verifies the signature of a client assertion and its registered claims (RFC 7523 3), with jose. */
import type { JWK, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { requireWrongSignature } from '../tokens/jose-faults.ts'
import { type JwsAlgorithm, jose, type PublicJwk } from '../tokens/jwk.ts'
import { algorithmsOf, registeredKeys } from './client-keys.ts'
import type { FetchedKeys } from './fetched-keys.ts'

/** One text until the signature is verified: an attacker learns nothing, and the log has the reason. */
const NOT_VALID = 'The client assertion is not valid. Check its signature, alg, iss and sub'

/** The texts about a claim are for the holder of the key: claims are checked after the signature. */
export const ASSERTION_ERRORS = defineErrors({
  assertion_malformed: ['invalid_client', NOT_VALID],
  assertion_algorithm: ['invalid_client', NOT_VALID],
  assertion_typ: [
    'invalid_client',
    'typ of the client assertion names another kind of JWT. Leave it out, or send JWT',
  ],
  assertion_issuer: ['invalid_client', NOT_VALID],
  assertion_audience: [
    'invalid_client',
    'aud of the client assertion must be the issuer of this server alone, as its metadata have it',
  ],
  assertion_expired: [
    'invalid_client',
    'exp of the client assertion is missing or has passed. Compare your clock, and sign a new one for each request',
  ],
  assertion_too_long: ['invalid_client', 'exp of the client assertion is too far ahead'],
  assertion_early: [
    'invalid_client',
    'iat or nbf of the client assertion is in the future. Compare your clock',
  ],
  assertion_jti: [
    'invalid_client',
    'jti of the client assertion must be a text of 1 to 200 characters, new for each one',
  ],
  assertion_signature: ['invalid_client', NOT_VALID],
  assertion_replayed: [
    'invalid_client',
    'The client assertion was used before. Sign a new one for each request, with a new jti',
  ],
})

export interface SignatureContext {
  readonly kernel: Pick<Kernel, 'issuer' | 'now'>
  /** Never `none` or a symmetric algorithm (RFC 8725 3.1). */
  readonly algorithms: readonly JwsAlgorithm[]
  /** The accepted values of `aud`, once all features are mounted. */
  readonly audiences: () => readonly string[]
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
}

/** Seconds after which `jwks_uri` is fetched again: regularly, and for a signature by an unknown key. */
const FRESH = 5 * 60
const MIN_INTERVAL = 60

/**
 * The claims of an assertion whose signature, algorithm, `iss`, `aud`, `exp` and `nbf` are valid.
 *
 * @throws OAuthError `invalid_client`
 * @throws Error if this runtime cannot verify the algorithm
 */
export async function signedClaims(
  context: SignatureContext,
  jwt: string,
  client: Client,
): Promise<JWTVerifyResult> {
  try {
    return await verifiedClaims(context, jwt, client)
  } catch (cause) {
    await requireWrongSignature(cause, jwt)
    const definition = definitionOf(cause)
    throw definition === undefined ? cause : new OAuthError(definition, undefined, { cause })
  }
}

/** A signature by an unknown key may be by a key that is new at `jwks_uri`. */
async function verifiedClaims(
  context: SignatureContext,
  jwt: string,
  client: Client,
): Promise<JWTVerifyResult> {
  const { audiences, algorithms, kernel, keysAt } = context
  const registered = registeredKeys(client)
  const { jwks, jwks_uri: uri } = registered
  const now = kernel.now()
  const options: JWTVerifyOptions = {
    algorithms: [...algorithmsOf(registered, algorithms)],
    issuer: client.clientId,
    audience: [...audiences()],
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(1000 * now),
  }
  if (uri === undefined || keysAt === undefined) return verifiedBy(jwks?.keys ?? [], jwt, options)
  const keys = await keysAt(uri, now - FRESH)
  try {
    return await verifiedBy(keys, jwt, options)
  } catch (error) {
    if (definitionOf(error) !== ASSERTION_ERRORS.assertion_signature) throw error
    const latest = await keysAt(uri, now - MIN_INTERVAL)
    if (latest === keys) throw error
    return verifiedBy(latest, jwt, options)
  }
}

/** Limits the work for an assertion without a `kid`. */
const MAX_TRIED_KEYS = 8

/** The claims that one of the keys signed. Several keys may fit an assertion without a `kid`. */
async function verifiedBy(
  keys: readonly PublicJwk[],
  jwt: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { createLocalJWKSet, errors, jwtVerify } = await jose()
  try {
    return await jwtVerify(jwt, createLocalJWKSet({ keys: keys.map(underAnyName) }), options)
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several
    let tried = 0
    for await (const key of several) {
      if (tried++ === MAX_TRIED_KEYS) break
      try {
        return await jwtVerify(jwt, key, options)
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
        await requireWrongSignature(error, jwt)
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** An Ed25519 key has one algorithm, and jose compares its name byte for byte. */
function underAnyName(key: PublicJwk): JWK {
  const { alg: _, ...unnamed } = key
  return (key.kty === 'OKP' ? unnamed : key) as JWK
}

/** The errors of jose: by code, or by claim and reason. */
const FAULTS: Readonly<Record<string, ErrorDefinition>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: ASSERTION_ERRORS.assertion_algorithm,
  ERR_JWKS_NO_MATCHING_KEY: ASSERTION_ERRORS.assertion_signature,
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: ASSERTION_ERRORS.assertion_signature,
  'iss check_failed': ASSERTION_ERRORS.assertion_issuer,
  'aud missing': ASSERTION_ERRORS.assertion_audience,
  'aud check_failed': ASSERTION_ERRORS.assertion_audience,
  'exp missing': ASSERTION_ERRORS.assertion_expired,
  'exp invalid': ASSERTION_ERRORS.assertion_expired,
  'exp check_failed': ASSERTION_ERRORS.assertion_expired,
  'nbf check_failed': ASSERTION_ERRORS.assertion_early,
}

/** @returns `undefined` if it is not an error of jose */
function definitionOf(error: unknown): ErrorDefinition | undefined {
  const { code, claim, reason } = Object(error)
  if (!/^ERR_J(OSE|WS|WT|WKS)_/.test(String(code))) return undefined
  return FAULTS[code] ?? FAULTS[`${claim} ${reason}`] ?? ASSERTION_ERRORS.assertion_malformed
}
