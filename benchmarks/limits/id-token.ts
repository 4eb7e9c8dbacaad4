import { generateKeyPair, SignJWT } from 'jose'
import { SUBJECT } from '../src/sample.ts'
import { clientId, TOKENS } from './answers.ts'

export type SigningAlgorithm = 'RS256' | 'ES256'

/** Signs what Grantkit signs in an ID token, with the same library: what a signature costs whoever makes one. */
export async function idTokens(alg: SigningAlgorithm): Promise<() => Promise<string>> {
  const { privateKey } = await generateKeyPair(alg)
  const claims = { auth_time: 1_800_000_000, at_hash: TOKENS.access_token.slice(-22), azp: clientId }
  return () =>
    new SignJWT(claims)
      .setProtectedHeader({ alg, kid: `bench-${alg}`, typ: 'JWT' })
      .setIssuer('http://127.0.0.1:40000')
      .setSubject(SUBJECT)
      .setAudience(clientId)
      .setIssuedAt(1_800_000_000)
      .setExpirationTime(1_800_003_600)
      .sign(privateKey)
}
