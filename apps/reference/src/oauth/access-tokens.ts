import type { AccessTokenFormat, Feature } from '@grantkit/core'
import { opaqueAccessTokens } from '@grantkit/core'
import { type JwtAccessTokenOptions, jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import type { Settings } from '../settings/settings.ts'

interface AccessTokens {
  readonly accessTokens: AccessTokenFormat
  readonly features: readonly Feature[]
}

/** Opaque access tokens, or signed ones for both resources with the feed of those that ended. */
export function accessTokensOf(
  { JWT_ACCESS_TOKENS, JWT_ACCESS_TOKEN_LIFETIME: lifetime, BASE_URL: issuer }: Settings,
  keys: JwtAccessTokenOptions['keys'],
): AccessTokens {
  if (JWT_ACCESS_TOKENS === 'off') return { accessTokens: opaqueAccessTokens, features: [] }
  const resources = { [issuer]: { lifetime }, [`${issuer}/mcp`]: { lifetime } }
  const accessTokens = jwtAccessTokens({ issuer, keys, resources })
  return { accessTokens, features: [accessTokens.feature, revocationFeed()] }
}
