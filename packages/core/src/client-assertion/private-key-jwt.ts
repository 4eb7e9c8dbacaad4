/**
 * The authentication method `private_key_jwt` (RFC 7523 2.2 and 3): it verifies the assertion of a client. It stores a mark for each assertion, so that each is used only once.
 */
import type { JWTPayload } from 'jose'
import * as z from 'zod'
import type { ClientAuthMethod, ClientCredentials } from '../clients/authentication/client-authentication.ts'
import { MAX_CLIENT_ID_LENGTH } from '../clients/client-sources.ts'
import { CLOCK_TOLERANCE, type Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { decodedJson } from '../tokens/jwk.ts'
import { ASSERTION_ERRORS, type SignatureContext, signedClaims } from './assertion-signature.ts'
import { PRIVATE_KEY_JWT, publishedKeys } from './client-keys.ts'

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
