import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto'

/** A JWT by a private key of type EC P-256, RSA or Ed25519 (RFC 7515). */
export function signedJwt(jwk: JsonWebKey, header: object, claims: object): string {
  const { alg, hash } = algorithmOf(jwk)
  const signed = [{ alg, ...header }, claims].map(encoded).join('.')
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

function algorithmOf({ kty }: JsonWebKey): { alg: string; hash: string | null } {
  if (kty === 'RSA') return { alg: 'RS256', hash: 'sha256' }
  return kty === 'OKP' ? { alg: 'EdDSA', hash: null } : { alg: 'ES256', hash: 'sha256' }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
