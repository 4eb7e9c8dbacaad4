/**
 * The authentication method `private_key_jwt` (RFC 7523 2.2 and 3), and the keys that a client registers for it (RFC 7591 2). Each
 * assertion is used only once: its mark is stored.
 */
import * as z from 'zod'
import type {
  ClientAuthMethod,
  ClientCredentials,
} from '../../clients/authentication/client-authentication.ts'
import {
  type ClientMetadataMembers,
  invalidMetadata,
  type RegisteredBy,
} from '../../clients/client-metadata.ts'
import { MAX_CLIENT_ID_LENGTH } from '../../clients/client-record.ts'
import { listOf, text } from '../../http/message.ts'
import { publicUrlFault } from '../../http/public-url.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { type Hash, sha256 } from '../../kernel/secrets.ts'
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
import {
  isFor,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  PublicJwk,
  registeredAlgorithms,
} from '../../tokens/jwk.ts'
import { UsableJwk, usableKeys } from '../../tokens/jws-signature.ts'

export interface AcceptedAssertions {
  /** Has the marks of used assertions. */
  readonly transients: Transients
  readonly algorithms: readonly JwsAlgorithm[]
  /** The accepted values of `aud`, once all features are mounted. */
  readonly audiences: () => readonly string[]
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
  readonly stringAudience: boolean
  /** In seconds. */
  readonly maxLifetime: number
}

/** Authenticates a client by a JWT that it signed with its private key (RFC 7523 2.2, OpenID Connect Core 9). */
export function privateKeyJwt(kernel: Kernel, accepted: AcceptedAssertions): ClientAuthMethod {
  return {
    name: PRIVATE_KEY_JWT,
    carrier: 'client_assertion',
    ofDocument: (document) => publishedKeys(document, kernel.issuer, accepted),
    read(_request, credentials) {
      const assertion = readAssertion(credentials)
      return {
        clientId: credentials.client_id ?? assertion.subject,
        async verify(client) {
          const { id, exp } = await verifiedAssertion(assertion, client, accepted, kernel.now())
          // Comes after the signature: only a holder of a key writes to the store.
          await spendOnce(accepted.transients, id, markedUntil(exp), ASSERTION_ERRORS.assertion_replayed)
          return true
        },
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

/** @returns the id of its mark, and `exp` in epoch seconds @throws OAuthError `invalid_client` */
async function verifiedAssertion(
  { jws, claims, subject }: Assertion,
  client: Client,
  accepted: AcceptedAssertions,
  now: number,
): Promise<{ readonly id: Hash; readonly exp: number }> {
  const { audiences, stringAudience, maxLifetime } = accepted
  const { clientId } = client
  if (subject !== clientId) throw new OAuthError(ASSERTION_ERRORS.assertion_issuer)
  await requireSignature(jws, verificationKeys(accepted, client), now, JWT_ERRORS)
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
  return { id: sha256(`client assertion\n${clientId}\n${jti}`), exp }
}

function verificationKeys({ algorithms, keysAt }: AcceptedAssertions, client: Client): VerificationKeys {
  const { token_endpoint_auth_signing_alg: registered } = registeredKeys(client)
  return { algorithms: registeredAlgorithms(algorithms, registered), keys: keysOf(client, keysAt) }
}

/** The keys that a client registered, for whatever it signs. */
export function keysOf(client: Client, keysAt: FetchedKeys | undefined): VerificationKeys['keys'] {
  const { jwks, jwks_uri: uri } = registeredKeys(client)
  const known = jwks?.keys ?? []
  return async (since) => (uri === undefined || keysAt === undefined ? known : keysAt(uri, since))
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
export const ASSERTION_ERRORS = defineErrors(
  withCode('invalid_client', {
    assertion_malformed: NOT_VALID,
    assertion_algorithm: NOT_VALID,
    assertion_typ: 'typ of the client assertion names another kind of JWT. Leave it out, or send JWT',
    assertion_issuer: NOT_VALID,
    assertion_audience:
      'aud of the client assertion must be the issuer of this server alone, as its metadata have it',
    assertion_expired:
      'exp of the client assertion is missing or has passed. Compare your clock, and sign a new one for each request',
    assertion_too_long: 'exp of the client assertion is too far ahead',
    assertion_early: 'iat or nbf of the client assertion is in the future. Compare your clock',
    assertion_jti: 'jti of the client assertion must be a text of 1 to 200 characters, new for each one',
    assertion_signature: NOT_VALID,
    assertion_replayed:
      'The client assertion was used before. Sign a new one for each request, with a new jti',
  }),
)

const JWT_ERRORS = {
  algorithm: ASSERTION_ERRORS.assertion_algorithm,
  signature: ASSERTION_ERRORS.assertion_signature,
  audience: ASSERTION_ERRORS.assertion_audience,
  endless: ASSERTION_ERRORS.assertion_expired,
  claims: ASSERTION_ERRORS.assertion_malformed,
  expired: ASSERTION_ERRORS.assertion_expired,
  early: ASSERTION_ERRORS.assertion_early,
}

const PRIVATE_KEY_JWT = 'private_key_jwt'
const MAX_KEYS = 10

const Algorithm = z.enum(JWS_ALGORITHMS)

/** The client metadata for keys (RFC 7591 2). The keys of a client that registers itself are unverified, so it may have none. */
export function keyMetadata(
  registeredBy: RegisteredBy,
  issuer: string,
  fetched: boolean,
): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  // The fetch refuses private addresses behind the name too.
  const address = text(2048).superRefine((uri, context) => {
    const port = URL.canParse(uri) ? Number(new URL(uri).port || 443) : 443
    const fault = publicUrlFault(uri, { issuer, ports: [port] })
    if (fault !== undefined) context.addIssue(fault)
  })
  return {
    jwks: z.object({ keys: listOf(UsableJwk, MAX_KEYS).min(1, 'must not be empty') }).optional(),
    jwks_uri: (fetched ? address : z.never('is not supported; register jwks')).optional(),
    token_endpoint_auth_signing_alg: Algorithm.optional(),
  }
}

const Registered = z.object({
  jwks: z.object({ keys: z.array(PublicJwk) }).optional(),
  jwks_uri: z.string().optional(),
  token_endpoint_auth_signing_alg: Algorithm.optional(),
})
type Registered = z.output<typeof Registered>

/** The keys that a client registered; none if its record has another format. */
function registeredKeys({ featureMetadata = {} }: Client): Registered {
  return Registered.safeParse(featureMetadata).data ?? {}
}

/** @throws OAuthError `invalid_client_metadata` for a client that could never authenticate */
export function checkKeys(client: Client, offered: readonly JwsAlgorithm[]): void {
  if (client.tokenEndpointAuthMethod !== PRIVATE_KEY_JWT) return
  const fault = keysFault(registeredKeys(client), offered)
  if (fault !== undefined) throw invalidMetadata(fault)
}

/** Why a client with these keys could never authenticate. */
function keysFault(registered: Registered, offered: readonly JwsAlgorithm[]): string | undefined {
  const { jwks, jwks_uri } = registered
  if ((jwks === undefined) === (jwks_uri === undefined))
    return `${PRIVATE_KEY_JWT} needs jwks or jwks_uri, and not both`
  const algorithms = registeredAlgorithms(offered, registered.token_endpoint_auth_signing_alg)
  const usable = jwks === undefined || jwks.keys.some((key) => algorithms.some((alg) => isFor(alg, key)))
  if (usable && algorithms.length > 0) return undefined
  return `jwks: no key for ${algorithms.join(', ') || 'an algorithm of this server'}`
}

const Published = Registered.extend({
  jwks: z.object({ keys: z.array(z.unknown()).transform(usableKeys) }).optional(),
})

/** The keys in a client ID metadata document; `undefined` if the client cannot authenticate with them at this server. */
function publishedKeys(
  document: Readonly<Record<string, unknown>>,
  issuer: string,
  { algorithms, keysAt }: AcceptedAssertions,
): Registered | undefined {
  const keys = Published.safeParse(document).data
  if (keys === undefined || keysFault(keys, algorithms) !== undefined) return undefined
  if (keys.jwks_uri === undefined) return keys
  return keysAt === undefined || publicUrlFault(keys.jwks_uri, { issuer }) !== undefined ? undefined : keys
}
