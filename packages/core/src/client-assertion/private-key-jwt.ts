import type { ClientAuthMethod } from '../clients/authentication/client-authentication.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Transients } from '../kernel/store.ts'
import { type Assertion, readAssertion } from './assertion.ts'
import { checkedClaims, type SpentOnce } from './assertion-claims.ts'
import { ASSERTION_ERRORS } from './assertion-errors.ts'
import { type AssertionAlgorithm, type AssertionHeader, checkedHeader } from './assertion-header.ts'
import { algorithmsOf, PRIVATE_KEY_JWT, publishedKeys, registeredKeys } from './client-keys.ts'
import type { FetchedKeys } from './fetched-keys.ts'
import { isSignedByOneOf } from './signature.ts'

export interface AssertionContext {
  readonly kernel: Kernel
  readonly transients: Transients
  readonly algorithms: readonly AssertionAlgorithm[]
  readonly audiences: readonly string[]
  readonly stringAudience: boolean
  /** Absent if no keys are fetched. */
  readonly keysAt?: FetchedKeys | undefined
}

/** In seconds: an address is asked again after the first, and for a key that is new there after the second. */
const FRESH = 5 * 60
const MIN_INTERVAL = 60

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

async function verify(
  { kernel, transients, algorithms, audiences, stringAudience, keysAt }: AssertionContext,
  { jwt, header, claims }: Assertion,
  client: Client,
): Promise<true> {
  const registered = registeredKeys(client)
  const checked = checkedHeader(header, algorithmsOf(registered, algorithms))
  const { clientId } = client
  const spent = checkedClaims(claims, { clientId, audiences, stringAudience, now: kernel.now() })
  const signed =
    registered.jwks === undefined
      ? await isSignedByFetched(keysAt, registered.jwks_uri, jwt, checked, kernel.now())
      : await isSignedByOneOf(registered.jwks.keys, jwt, checked)
  if (!signed) throw new OAuthError(ASSERTION_ERRORS.assertion_signature)
  // Only now: without a key nobody fills the store.
  await spendOnce(transients, clientId, spent)
  return true
}

/** A signature by no known key may be that of a key which is new at the address. */
async function isSignedByFetched(
  keysAt: FetchedKeys | undefined,
  uri: string | undefined,
  jwt: string,
  header: AssertionHeader,
  now: number,
): Promise<boolean> {
  if (keysAt === undefined || uri === undefined) return false
  const keys = await keysAt(uri, now - FRESH)
  if (await isSignedByOneOf(keys, jwt, header)) return true
  const latest = await keysAt(uri, now - MIN_INTERVAL)
  return latest !== keys && isSignedByOneOf(latest, jwt, header)
}

/** Of any number of requests with one assertion, on any replica, exactly one passes (RFC 7523 3). */
async function spendOnce(transients: Transients, clientId: string, { jti, until }: SpentOnce): Promise<void> {
  const id = sha256(`client assertion\n${clientId}\n${jti}`)
  if (!(await transients.insert(id, { kind: 'seen', expiresAt: until }, until)))
    throw new OAuthError(ASSERTION_ERRORS.assertion_replayed)
}
