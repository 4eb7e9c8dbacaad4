import type { Secret } from '../../kernel/secrets.ts'
import type { RefreshTokenSecret } from '../grant.ts'

/** The pair that replaces a refresh token, of the secrets that were derived from it and the salt of its rotation. */
export function successorOf(
  { family, generation }: RefreshTokenSecret,
  [accessToken, secret]: readonly [Secret, Secret],
): { readonly accessToken: Secret; readonly refreshToken: RefreshTokenSecret } {
  return { accessToken, refreshToken: { family, generation: generation + 1, secret } }
}
