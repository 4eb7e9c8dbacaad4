import { createHash, generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { signedJwt } from './signed-jwt.ts'

/** What a request proves possession of (RFC 9449). */
export interface Possession {
  /** A private key of type EC P-256. */
  readonly key: JsonWebKey
  /** The access token that the request presents. */
  readonly token?: string | undefined
}

export function newDpopKey(): JsonWebKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

/** A proof for one request: its `jti` is used once. @param nonce what the server demands, if it does */
export function dpopProof(
  { key, token }: Possession,
  { method, url }: { readonly method: string; readonly url: string },
  nonce: string | undefined,
): string {
  const { kty, crv, x, y } = key
  const { origin, pathname } = new URL(url)
  const claims = {
    ...{ jti: randomUUID(), htm: method, htu: `${origin}${pathname}`, iat: Math.floor(Date.now() / 1000) },
    ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
  }
  return signedJwt(key, { typ: 'dpop+jwt', jwk: { kty, crv, x, y } }, claims)
}
