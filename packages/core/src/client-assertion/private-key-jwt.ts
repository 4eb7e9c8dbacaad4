/**
 * Client assertions (RFC 7523 3): jose verifies the signature, the algorithm, `iss`, `aud`, `exp` and `nbf`; what the RFC
 * leaves to the server is here.
 */
import type { JWK, JWTPayload, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { z } from 'zod'
import type { ClientAuthMethod, ClientCredentials } from '../clients/authentication/client-authentication.ts'
import { MAX_CLIENT_ID_LENGTH } from '../clients/client-sources.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { decodedJson, jose, type PublicJwk } from '../tokens/jwk.ts'
import {
  type AssertionAlgorithm,
  algorithmsOf,
  PRIVATE_KEY_JWT,
  publishedKeys,
  registeredKeys,
} from './client-keys.ts'
import type { FetchedKeys } from './fetched-keys.ts'

/** One text for all faults: whoever guesses learns nothing, and the operator has the reason. */
const NOT_VALID = 'The client assertion is not valid'

export const ASSERTION_ERRORS = defineErrors({
  assertion_malformed: ['invalid_client', NOT_VALID],
  assertion_algorithm: ['invalid_client', NOT_VALID],
  assertion_typ: ['invalid_client', NOT_VALID],
  assertion_issuer: ['invalid_client', NOT_VALID],
  assertion_audience: ['invalid_client', NOT_VALID],
  assertion_expired: ['invalid_client', NOT_VALID],
  assertion_too_long: ['invalid_client', NOT_VALID],
  assertion_early: ['invalid_client', NOT_VALID],
  assertion_jti: ['invalid_client', NOT_VALID],
  assertion_signature: ['invalid_client', NOT_VALID],
  assertion_replayed: ['invalid_client', NOT_VALID],
})

export interface AssertionContext {
  readonly kernel: Kernel
  readonly transients: Transients
  /** Neither `none` nor a symmetric algorithm is ever in it (RFC 8725 3.1). */
  readonly algorithms: readonly AssertionAlgorithm[]
  /**
   * An assertion is for one server alone: an array of several values is refused, even with this server among them
   * (RFC 7523bis 3). Another server could have asked the client for one, to send it here.
   */
  readonly audiences: readonly string[]
  /** Whether an array of one is refused as well. */
  readonly stringAudience: boolean
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
}

/** A JWT that the client has signed with its private key (RFC 7523 2.2, OpenID Connect Core 9). */
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

/** An assertion as it was sent. Nothing of it is verified. */
interface Assertion {
  readonly jwt: string
  /** Who it says it is about. It finds the keys of a request without `client_id` (RFC 7521 4.2). */
  readonly subject: string
}

/** RFC 7523 2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MAX_ASSERTION_LENGTH = 8 * 1024
const About = z.object({ sub: z.string().max(MAX_CLIENT_ID_LENGTH) })

/** @throws OAuthError `invalid_client` when there is none, or when it names no client */
function readAssertion({ client_assertion: jwt = '', client_assertion_type }: ClientCredentials): Assertion {
  const [, claims = ''] = jwt.length > MAX_ASSERTION_LENGTH ? [] : jwt.split('.', 2)
  const about = About.safeParse(decodedJson(claims)).data
  if (client_assertion_type !== ASSERTION_TYPE || about === undefined)
    throw new OAuthError(ASSERTION_ERRORS.assertion_malformed)
  return { jwt, subject: about.sub }
}

async function verify(context: AssertionContext, assertion: Assertion, client: Client): Promise<true> {
  const { kernel, transients, stringAudience } = context
  const { clientId } = client
  if (assertion.subject !== clientId) throw new OAuthError(ASSERTION_ERRORS.assertion_issuer)
  const { payload, protectedHeader } = await signedClaims(context, assertion.jwt, client).catch(refuse)
  const { typ } = protectedHeader
  if (typ !== undefined && !(typeof typ === 'string' && TYPE.test(typ)))
    throw new OAuthError(ASSERTION_ERRORS.assertion_typ)
  const spent = checkedClaims(payload, kernel.now(), stringAudience)
  // Only now: without a key nobody fills the store.
  await spendOnce(transients, clientId, spent)
  return true
}

/** In seconds: an address is asked again after the first, and for a key that is new there after the second. */
const FRESH = 5 * 60
const MIN_INTERVAL = 60

/** A signature by no known key may be that of a key which is new at the address. */
async function signedClaims(
  context: AssertionContext,
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
    audience: [...audiences],
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(1000 * now),
  }
  if (jwks !== undefined || uri === undefined || keysAt === undefined)
    return verifiedBy(jwks?.keys ?? [], jwt, options)
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

/** Bounds the work that an assertion without a `kid` makes. */
const MAX_TRIED_KEYS = 8

/** The claims that one of the keys has signed. An assertion without a `kid` may fit several. */
async function verifiedBy(
  keys: readonly PublicJwk[],
  jwt: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { createLocalJWKSet, errors, jwtVerify } = await jose()
  try {
    return await jwtVerify(jwt, createLocalJWKSet({ keys: [...keys] as JWK[] }), options)
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several
    let tried = 0
    for await (const key of several) {
      if (tried++ === MAX_TRIED_KEYS) break
      try {
        return await jwtVerify(jwt, key, options)
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** What is wrong, by the code of an error of jose, or by the claim and the reason in it. */
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

/** `undefined` for what is no error of jose. */
function definitionOf(error: unknown): ErrorDefinition | undefined {
  const { code, claim, reason } = Object(error)
  if (!/^ERR_J(OSE|WS|WT|WKS)_/.test(String(code))) return undefined
  return FAULTS[code] ?? FAULTS[`${claim} ${reason}`] ?? ASSERTION_ERRORS.assertion_malformed
}

function refuse(cause: unknown): never {
  const definition = definitionOf(cause)
  throw definition === undefined ? cause : new OAuthError(definition, undefined, { cause })
}

/**
 * An assertion need not say its type (RFC 7523bis 3.2). One that says it is something else was made for something else: an
 * ID token, an access token or a DPoP proof that the same key has signed. Letter case and `application/` do not count
 * (RFC 7515 4.1.9). The last name is the one of draft-ietf-oauth-client-id-metadata-document.
 */
const TYPE = /^(application\/)?(jwt|client-authentication\+jwt|oauth-client-auth\+jwt)$/i

/** The longest life of an assertion, in seconds: a replay must be remembered for as long. */
const MAX_ASSERTION_LIFETIME = 10 * 60
const Jti = z.string().min(1).max(200)

interface SpentOnce {
  readonly jti: string
  /** No clock takes the assertion after this time, in epoch seconds. */
  readonly until: number
}

/** @throws OAuthError `invalid_client` */
function checkedClaims(
  { aud, exp = 0, iat = 0, jti }: JWTPayload,
  now: number,
  stringAudience: boolean,
): SpentOnce {
  const id = Jti.safeParse(jti)
  if (Array.isArray(aud) && (stringAudience || aud.length !== 1))
    throw new OAuthError(ASSERTION_ERRORS.assertion_audience)
  if (exp > now + MAX_ASSERTION_LIFETIME + CLOCK_TOLERANCE)
    throw new OAuthError(ASSERTION_ERRORS.assertion_too_long)
  if (iat > now + CLOCK_TOLERANCE) throw new OAuthError(ASSERTION_ERRORS.assertion_early)
  if (!id.success) throw new OAuthError(ASSERTION_ERRORS.assertion_jti)
  // Twice: the clock of the store may be ahead of that of a replica.
  return { jti: id.data, until: Math.ceil(exp) + 2 * CLOCK_TOLERANCE }
}

/** Of any number of requests with one assertion, on any replica, exactly one passes (RFC 7523 3). */
async function spendOnce(transients: Transients, clientId: string, { jti, until }: SpentOnce): Promise<void> {
  const id = sha256(`client assertion\n${clientId}\n${jti}`)
  if (!(await transients.insert(id, { kind: 'seen', expiresAt: until }, until)))
    throw new OAuthError(ASSERTION_ERRORS.assertion_replayed)
}
