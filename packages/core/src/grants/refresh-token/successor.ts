import { type Secret, twoSecretsOf } from '../../kernel/secrets.ts'
import type { RefreshTokenSecret } from '../grant.ts'

/**
 * Derives both tokens from the presented secret and the salt of the rotation, each of fixed length. Nobody can derive
 * them without the secret, and the store holds only its hash.
 */
export function successorOf(
  token: RefreshTokenSecret,
  salt: string,
): { accessToken: Secret; refreshToken: RefreshTokenSecret } {
  const [accessToken, secret] = twoSecretsOf(token.secret + salt)
  return { accessToken, refreshToken: { family: token.family, generation: token.generation + 1, secret } }
}
