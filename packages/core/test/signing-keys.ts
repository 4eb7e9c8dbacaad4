import type { PrivateJwk } from '@grantkit/core'
import { exportJWK, generateKeyPair } from 'jose'

export async function signingKey(alg: PrivateJwk['alg'], kid = `test-${alg}`): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid } as PrivateJwk
}

/** Made once for all tests, because an RSA key is slow to make. */
export const TEST_KEYS = await Promise.all([signingKey('RS256'), signingKey('ES256'), signingKey('EdDSA')])
