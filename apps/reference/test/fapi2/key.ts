import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export type Claims = Readonly<Record<string, unknown>>

/** A private key, and the JWTs that it signs. A claim of `undefined` is left out. */
export class Key {
  readonly jwk: JWK
  readonly #privateJwk: JWK
  readonly thumbprint: string
  readonly #alg: string

  private constructor(alg: string, privateJwk: JWK, jwk: JWK, thumbprint: string) {
    this.#alg = alg
    this.#privateJwk = privateJwk
    this.jwk = jwk
    this.thumbprint = thumbprint
  }

  static async of(alg = 'ES256'): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const [key, jwk] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)])
    return new Key(alg, { ...key, alg }, jwk, await calculateJwkThumbprint(jwk))
  }

  jwt(claims: Claims, header: object = {}): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: this.#alg, ...header }).sign(this.#privateJwk)
  }

  /** The same key, for another algorithm. */
  for(alg: string): Key {
    return new Key(alg, { ...this.#privateJwk, alg }, this.jwk, this.thumbprint)
  }
}
