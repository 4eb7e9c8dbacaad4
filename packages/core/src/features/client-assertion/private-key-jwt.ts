/**
 * The authentication method `private_key_jwt` (RFC 7523 2.2 and 3): it verifies the assertion of a client. It stores a mark for each assertion, so that each is used only once.
 */

import type { JWK, JWTPayload, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import * as z from 'zod'
import type {
  ClientAuthMethod,
  ClientCredentials,
} from '../../clients/authentication/client-authentication.ts'
import { MAX_CLIENT_ID_LENGTH } from '../../clients/client-sources.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import { decodedJson, type JwsAlgorithm, jose, type PublicJwk } from '../../tokens/jwk.ts'
import { requireWrongSignature } from '../../tokens/jws-signature.ts'
import {
  algorithmsOf,
  type FetchedKeys,
  PRIVATE_KEY_JWT,
  publishedKeys,
  registeredKeys,
} from './fetched-keys.ts'

export interface AssertionContext extends SignatureContext {
  readonly kernel: Kernel
  readonly transients: Transients
  /** Whether `aud` must be a string, and not even an array of one value. */
  readonly stringAudience: boolean
  /** In seconds. */
  readonly maxLifetime: number
}

/** Authenticates a client by a JWT that it signed with its private key (RFC 7523 2.2, OpenID Connect Core 9). */
export function privateKeyJwt(context: AssertionContext): ClientAuthMethod {
  return {
    name: PRIVATE_KEY_JWT,
    carrier: 'client_assertion',
    ofDocument: (document) => publishedKeys(document, context),
    read(_request, credentials) {
      const assertion = readAssertion(credentials)
      return {
        clientId: credentials.client_id ?? assertion.subject,
        verify: (client) => verify(context, assertion, client),
      }
    },
  }
}

/** An assertion as it was sent. Nothing in it is verified yet. */
interface Assertion {
  readonly jwt: string
  /** Its claim `sub`: the client of a request without `client_id` (RFC 7521 4.2). */
  readonly subject: string
}

/** RFC 7523 2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MAX_ASSERTION_LENGTH = 8 * 1024
const Subject = z.object({ sub: z.string().max(MAX_CLIENT_ID_LENGTH) })

/** @throws OAuthError `invalid_client` if the assertion is missing or names no client */
function readAssertion({ client_assertion: jwt = '', client_assertion_type }: ClientCredentials): Assertion {
  const [, claims = ''] = jwt.length > MAX_ASSERTION_LENGTH ? [] : jwt.split('.', 2)
  const claimed = Subject.safeParse(decodedJson(claims)).data
  if (client_assertion_type !== ASSERTION_TYPE || claimed === undefined)
    throw new OAuthError(ASSERTION_ERRORS.assertion_malformed)
  return { jwt, subject: claimed.sub }
}

async function verify(context: AssertionContext, assertion: Assertion, client: Client): Promise<true> {
  const { kernel, transients } = context
  const { clientId } = client
  if (assertion.subject !== clientId) throw new OAuthError(ASSERTION_ERRORS.assertion_issuer)
  const { payload, protectedHeader } = await signedClaims(context, assertion.jwt, client)
  const { typ } = protectedHeader
  if (typ !== undefined && !(typeof typ === 'string' && TYPE.test(typ)))
    throw new OAuthError(ASSERTION_ERRORS.assertion_typ)
  const spent = checkedClaims(payload, kernel.now(), context)
  // Comes after the signature: only a holder of a key writes to the store.
  await spendOnce(transients, clientId, spent)
  return true
}

/**
 * An assertion may have no `typ` (RFC 7523bis 3.2). Another `typ` means another kind of JWT by the same key: an ID token, an
 * access token or a DPoP proof. Letter case and `application/` make no difference (RFC 7515 4.1.9). The last name is from
 * draft-ietf-oauth-client-id-metadata-document.
 */
const TYPE = /^(application\/)?(jwt|client-authentication\+jwt|oauth-client-auth\+jwt)$/i

const Jti = z.string().min(1).max(200)

interface SpentOnce {
  readonly jti: string
  /** After this time no replica accepts the assertion. Epoch seconds. */
  readonly until: number
}

/**
 * An assertion is for one server: an array of several audiences is refused, even if it contains this server (RFC 7523bis 3).
 * Another server could have requested the assertion to replay it here.
 *
 * @throws OAuthError `invalid_client`
 */
function checkedClaims(
  { aud, exp = 0, iat = 0, jti }: JWTPayload,
  now: number,
  { stringAudience, maxLifetime }: AssertionContext,
): SpentOnce {
  const id = Jti.safeParse(jti)
  if (Array.isArray(aud) && (stringAudience || aud.length !== 1))
    throw new OAuthError(ASSERTION_ERRORS.assertion_audience)
  if (exp > now + maxLifetime + CLOCK_TOLERANCE)
    throw new OAuthError(
      ASSERTION_ERRORS.assertion_too_long,
      `exp of the client assertion must be at most ${maxLifetime} seconds ahead`,
    )
  if (iat > now + CLOCK_TOLERANCE) throw new OAuthError(ASSERTION_ERRORS.assertion_early)
  if (!id.success) throw new OAuthError(ASSERTION_ERRORS.assertion_jti)
  // Twice the tolerance: the clock of the store may be ahead of the clock of a replica.
  return { jti: id.data, until: Math.ceil(exp) + 2 * CLOCK_TOLERANCE }
}

/** Exactly one request with this assertion succeeds, however many arrive and on whichever replica (RFC 7523 3). */
async function spendOnce(transients: Transients, clientId: string, { jti, until }: SpentOnce): Promise<void> {
  const id = sha256(`client assertion\n${clientId}\n${jti}`)
  if (!(await transients.insert(id, { kind: 'seen', expiresAt: until }, until)))
    throw new OAuthError(ASSERTION_ERRORS.assertion_replayed)
}

// Verifies the signature of a client assertion and its registered claims (RFC 7523 3), with jose.

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

interface SignatureContext {
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
async function signedClaims(
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
