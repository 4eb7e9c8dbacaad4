/**
 * The authentication method `private_key_jwt` (RFC 7523 2.2 and 3): it verifies the assertion of a client. It stores a mark for each assertion, so that each is used only once.
 */
import * as z from 'zod'
import type {
  ClientAuthMethod,
  ClientCredentials,
} from '../../clients/authentication/client-authentication.ts'
import { MAX_CLIENT_ID_LENGTH } from '../../clients/client-record.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { sha256 } from '../../kernel/secrets.ts'
import type { Transients } from '../../kernel/store.ts'
import {
  type CompactJws,
  type JwtClaims,
  markedUntil,
  readJws,
  requireAudience,
  requireSignature,
  requireTimes,
  spendOnce,
  type VerificationKeys,
} from '../../tokens/compact-jws.ts'
import type { FetchedKeys } from '../../tokens/fetched-keys.ts'
import type { JwsAlgorithm } from '../../tokens/jwk.ts'
import { algorithmsOf, PRIVATE_KEY_JWT, publishedKeys, registeredKeys } from './client-keys.ts'

export interface AssertionContext {
  readonly kernel: Kernel
  readonly transients: Transients
  readonly algorithms: readonly JwsAlgorithm[]
  /** The accepted values of `aud`, once all features are mounted. */
  readonly audiences: () => readonly string[]
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
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
  readonly jws: CompactJws
  readonly claims: JwtClaims
  /** Its claim `sub`: the client of a request without `client_id` (RFC 7521 4.2). */
  readonly subject: string
}

/** RFC 7523 2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const MAX_ASSERTION_LENGTH = 8 * 1024
const Subject = z.object({ sub: z.string().max(MAX_CLIENT_ID_LENGTH) })

/** @throws OAuthError `invalid_client` if the assertion is missing or names no client */
function readAssertion({ client_assertion: jwt = '', client_assertion_type }: ClientCredentials): Assertion {
  const jws = jwt.length > MAX_ASSERTION_LENGTH ? undefined : readJws(jwt)
  const claimed = Subject.safeParse(jws?.claims).data
  if (client_assertion_type !== ASSERTION_TYPE || jws?.claims === undefined || claimed === undefined)
    throw new OAuthError(ASSERTION_ERRORS.assertion_malformed)
  return { jws, claims: jws.claims, subject: claimed.sub }
}

async function verify(
  context: AssertionContext,
  { jws, claims, subject }: Assertion,
  client: Client,
): Promise<true> {
  const { kernel, transients, audiences, stringAudience, maxLifetime } = context
  const { clientId } = client
  const now = kernel.now()
  if (subject !== clientId) throw new OAuthError(ASSERTION_ERRORS.assertion_issuer)
  await requireSignature(jws, keysOf(context, client), now, JWT_ERRORS)
  if (claims.iss === undefined) throw new OAuthError(ASSERTION_ERRORS.assertion_malformed)
  if (claims.iss !== clientId) throw new OAuthError(ASSERTION_ERRORS.assertion_issuer)
  requireAudience(claims, audiences(), JWT_ERRORS)
  if (stringAudience && Array.isArray(claims.aud)) throw new OAuthError(ASSERTION_ERRORS.assertion_audience)
  const { exp } = requireTimes(claims, now, JWT_ERRORS)
  if (exp > now + maxLifetime + CLOCK_TOLERANCE)
    throw new OAuthError(
      ASSERTION_ERRORS.assertion_too_long,
      `exp of the client assertion must be at most ${maxLifetime} seconds ahead`,
    )
  if (!isOfType(jws.header.typ)) throw new OAuthError(ASSERTION_ERRORS.assertion_typ)
  const jti = Jti.safeParse(claims.jti).data
  if (jti === undefined) throw new OAuthError(ASSERTION_ERRORS.assertion_jti)
  // Comes after the signature: only a holder of a key writes to the store.
  const id = sha256(`client assertion\n${clientId}\n${jti}`)
  await spendOnce(transients, id, markedUntil(exp), ASSERTION_ERRORS.assertion_replayed)
  return true
}

function keysOf({ algorithms, keysAt }: AssertionContext, client: Client): VerificationKeys {
  const registered = registeredKeys(client)
  const { jwks, jwks_uri: uri } = registered
  const known = jwks?.keys ?? []
  return {
    algorithms: algorithmsOf(registered, algorithms),
    keys: async (since) => (uri === undefined || keysAt === undefined ? known : keysAt(uri, since)),
  }
}

/**
 * An assertion may have no `typ` (RFC 7523bis 3.2). Another `typ` means another kind of JWT by the same key: an ID token, an
 * access token or a DPoP proof. Letter case and `application/` make no difference (RFC 7515 4.1.9). The last name is from
 * draft-ietf-oauth-client-id-metadata-document.
 */
const TYPE = /^(application\/)?(jwt|client-authentication\+jwt|oauth-client-auth\+jwt)$/i

function isOfType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && TYPE.test(typ))
}

const Jti = z.string().min(1).max(200)

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

const JWT_ERRORS = {
  algorithm: ASSERTION_ERRORS.assertion_algorithm,
  signature: ASSERTION_ERRORS.assertion_signature,
  audience: ASSERTION_ERRORS.assertion_audience,
  endless: ASSERTION_ERRORS.assertion_expired,
  claims: ASSERTION_ERRORS.assertion_malformed,
  expired: ASSERTION_ERRORS.assertion_expired,
  early: ASSERTION_ERRORS.assertion_early,
}
