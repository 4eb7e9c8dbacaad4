import { createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A key of a client. Its proofs are for the address that the client believes in. */
export class Key {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  proof(htm: string, htu: string, more: object = {}): string {
    const { crv, kty, x, y } = this.#pair.publicKey.export({ format: 'jwk' })
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { crv, kty, x, y } }
    const iat = Math.floor(Date.now() / 1000)
    const claims = { jti: String(Math.random()), htm, htu, iat, ...more }
    const signed = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.')
    const signing = { key: this.#pair.privateKey, dsaEncoding: 'ieee-p1363' as const }
    return `${signed}.${sign('sha256', Buffer.from(signed), signing).toString('base64url')}`
  }
}

const base64url = (text: string) => Buffer.from(text).toString('base64url')
export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')
export const proofLine = (proof: string) => ['DPoP', proof] as const
