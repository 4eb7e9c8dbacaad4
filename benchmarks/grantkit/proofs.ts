import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export function newKeyPair() {
  return generateKeyPair('EdDSA', { extractable: true })
}

export type KeyPair = Awaited<ReturnType<typeof newKeyPair>>

interface Proven {
  readonly htm: string
  readonly htu: string
  /** The access token that the proof is made for. */
  readonly token?: string
}

/** A DPoP proof (RFC 9449 4.2). */
export async function dpopProof(
  { publicKey, privateKey }: KeyPair,
  { htm, htu, token }: Proven,
): Promise<string> {
  const ath = token && createHash('sha256').update(token).digest('base64url')
  return new SignJWT({ jti: randomUUID(), htm, htu, ath })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey)
}
