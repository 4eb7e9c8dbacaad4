import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'

/** A key of a client, and the DPoP proofs that it signs (RFC 9449 4.2). */
export interface ProvingKey {
  readonly jwk: JsonWebKey
  readonly privateJwk: JsonWebKey
  /** RFC 7638 3. */
  readonly thumbprint: string
  /** A proof with these claims; members of `header` replace the usual ones, and `undefined` drops one. */
  proof(claims: object, header?: object): string
}

/** What a proof is signed with, by the algorithm in its header. */
const SIGNING = {
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { hash: null, options: {} },
  RS256: { hash: 'sha256', options: {} },
  PS256: { hash: 'sha256', options: { padding: 6, saltLength: 32 } },
} as const
type Algorithm = keyof typeof SIGNING

/** @param modulusLength of an RSA key */
export function provingKey(alg: Algorithm = 'ES256', modulusLength = 2048): ProvingKey {
  if (alg === 'ES256') return provingKeyOf(alg, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  if (alg === 'EdDSA') return provingKeyOf(alg, generateKeyPairSync('ed25519').privateKey)
  return provingKeyOf(alg, generateKeyPairSync('rsa', { modulusLength }).privateKey)
}

/** One whose proofs are the same at every run: it signs by EdDSA. */
export function fixedProvingKey(jwk: JsonWebKey): ProvingKey {
  return provingKeyOf('EdDSA', createPrivateKey({ key: jwk, format: 'jwk' }))
}

function provingKeyOf(alg: Algorithm, key: KeyObject): ProvingKey {
  const privateJwk = key.export({ format: 'jwk' })
  const members = { EC: ['crv', 'kty', 'x', 'y'], OKP: ['crv', 'kty', 'x'], RSA: ['e', 'kty', 'n'] }
  const names = members[privateJwk.kty as keyof typeof members]
  const jwk: JsonWebKey = Object.fromEntries(names.map((name) => [name, privateJwk[name]]))
  const { hash, options } = SIGNING[alg]
  return {
    jwk,
    privateJwk,
    thumbprint: hashOf(JSON.stringify(jwk)),
    proof(claims, header = {}) {
      const signed = `${encoded({ typ: 'dpop+jwt', alg, jwk, ...header })}.${encoded(claims)}`
      return `${signed}.${sign(hash, Buffer.from(signed), { key, ...options }).toString('base64url')}`
    },
  }
}

function encoded(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url')
}

/** SHA-256 in base64url: `ath` and thumbprints. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
