import type { AccessTokenFormat, FeatureFactory, Store } from '@grantkit/core'
import { opaqueAccessTokens } from '@grantkit/core'
import { endedFeed, type JwtAccessTokenOptions, jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import type { Settings } from '../settings/settings.ts'

interface AccessTokens {
  readonly accessTokens: AccessTokenFormat
  /** To be used by everything that changes grants. */
  readonly store: Store
  readonly features: readonly FeatureFactory[]
}

/** Opaque access tokens, or signed ones for both resources with the feed of those that ended. */
export function accessTokensOf(
  { JWT_ACCESS_TOKENS, JWT_ACCESS_TOKEN_LIFETIME: lifetime, BASE_URL: issuer }: Settings,
  store: Store,
  keys: JwtAccessTokenOptions['keys'],
): AccessTokens {
  if (JWT_ACCESS_TOKENS === 'off') return { accessTokens: opaqueAccessTokens, store, features: [] }
  const resources = { [issuer]: { lifetime }, [`${issuer}/mcp`]: { lifetime } }
  const accessTokens = jwtAccessTokens({ issuer, keys, resources })
  const feed = endedFeed(store)
  return { accessTokens, store: feed.store, features: [accessTokens.feature, feed.feature] }
}
