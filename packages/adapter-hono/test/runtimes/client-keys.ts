import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { type JWK, SignJWT } from 'jose'

/** Keys of clients, in the process of the tests: what these keys sign is verified in the runtime. */

export const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256', 'RS256'] as const
type Algorithm = (typeof ALGORITHMS)[number]

export interface ClientKey {
  readonly alg: Algorithm
  readonly privateKey: KeyObject
  readonly jwk: JWK
}

const made = new Map<string, ReturnType<typeof pairOf>>()

/** The same for each runtime, because an RSA key is slow to make. */
export function keyFor(alg: Algorithm, name = 'usual'): ClientKey {
  const type = alg === 'ES256' ? 'EC' : alg.endsWith('S256') ? 'RSA' : 'Ed25519'
  const pair = made.get(type + name) ?? pairOf(type)
  made.set(type + name, pair)
  return { alg, privateKey: pair.privateKey, jwk: pair.publicKey.export({ format: 'jwk' }) as JWK }
}

function pairOf(type: 'EC' | 'RSA' | 'Ed25519') {
  if (type === 'EC') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return type === 'RSA' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')
}

/** A DPoP proof (RFC 9449 4.2). */
export function proof(
  { alg, privateKey, jwk }: ClientKey,
  htm: string,
  htu: string,
  token?: string,
): Promise<string> {
  const ath = token && createHash('sha256').update(token).digest('base64url')
  return new SignJWT({ htm, htu, ...(ath && { ath }) })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
    .setJti(randomUUID())
    .setIssuedAt()
    .sign(privateKey)
}

/** A client assertion (RFC 7523 3). */
export function assertion(
  { alg, privateKey }: ClientKey,
  clientId: string,
  audience: string,
): Promise<string> {
  return new SignJWT({ iss: clientId, sub: clientId, aud: audience })
    .setProtectedHeader({ alg })
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1 minute')
    .sign(privateKey)
}
