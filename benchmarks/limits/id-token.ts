import { generateKeyPair, SignJWT } from 'jose'
import { SUBJECT } from '../src/sample.ts'
import { clientId, TOKENS } from './answers.ts'

export type SigningAlgorithm = 'RS256' | 'ES256'

/** Signs the claims of Grantkit's ID tokens, with the same library: the minimum cost of a signature. */
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
