import { type JsonWebKey, randomUUID } from 'node:crypto'
import { signedJwt } from './signed-jwt.ts'

export type AuthenticationMethod = 'none' | 'post' | 'basic' | 'private_key_jwt'

/** A client of the server. */
export interface Client {
  readonly id: string
  readonly secret?: string | undefined
  readonly method: AuthenticationMethod
  /** For `private_key_jwt`: a private key of type EC P-256, RSA or Ed25519. */
  readonly key?: JsonWebKey | undefined
  /** For DPoP (RFC 9449): a private key of type EC P-256. */
  readonly dpopKey?: JsonWebKey | undefined
}

/** What a client adds to a request to prove who it is (RFC 6749 section 2.3, RFC 7523). */
export interface Authentication {
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** @param audience the issuer of the server, for an assertion */
export function authenticate(client: Client, audience: string): Authentication {
  const { id, secret = '', method, key } = client
  if (method === 'basic') return { headers: { authorization: `Basic ${basic(id, secret)}` }, fields: {} }
  if (method === 'post') return { headers: {}, fields: { client_id: id, client_secret: secret } }
  if (method === 'none' || key === undefined) return { headers: {}, fields: { client_id: id } }
  const assertion = { client_assertion_type: ASSERTION, client_assertion: assertionOf(id, key, audience) }
  return { headers: {}, fields: { client_id: id, ...assertion } }
}

/** Both parts are form-encoded first (RFC 6749 section 2.3.1). */
function basic(id: string, secret: string): string {
  const [user, password] = [id, secret].map((each) => new URLSearchParams({ '': each }).toString().slice(1))
  return Buffer.from(`${user}:${password}`).toString('base64')
}

/** Each request has an assertion of its own: its `jti` is used once. */
function assertionOf(id: string, jwk: JsonWebKey, aud: string): string {
  const now = Math.floor(Date.now() / 1000)
  const kid = typeof jwk.kid === 'string' ? { kid: jwk.kid } : {}
  const claims = { iss: id, sub: id, aud, jti: randomUUID(), iat: now, exp: now + 60 }
  return signedJwt(jwk, { typ: 'JWT', ...kid }, claims)
}
