import { randomUUID } from 'node:crypto'
import type { SigningAlgorithm } from '../kernel/records.ts'
import { jose } from './jose.ts'
import { PrivateJwk } from './private-jwk.ts'

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

/**
 * Fresh signing keys for `keys` or `rotateSigningKeys`, as private JWKs (RFC 7517). Make them once and keep them as a
 * secret: an ID token of a key that is gone cannot be verified.
 *
 * @param algorithms one key for each. `openid` needs RS256 (OpenID Connect Core 15.1)
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { newSigningKeys } from '@grantkit/core'
 *
 * await writeFile('keys.json', JSON.stringify(await newSigningKeys()), { mode: 0o600 })
 * ```
 */
export function newSigningKeys(algorithms: readonly SigningAlgorithm[] = ALGORITHMS): Promise<PrivateJwk[]> {
  return Promise.all(algorithms.map(newSigningKey))
}

async function newSigningKey(alg: SigningAlgorithm): Promise<PrivateJwk> {
  const { exportJWK, generateKeyPair } = await jose()
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return PrivateJwk.parse({ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomUUID() })
}
