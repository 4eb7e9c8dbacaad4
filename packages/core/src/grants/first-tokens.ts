import type { Client, Grant, RefreshState } from '../kernel/records.ts'
import { type Secret, sha256 } from '../kernel/secrets.ts'
import {
  boundTo,
  type GrantTerms,
  type IssuedTokens,
  keyOfRefreshToken,
  methodOfRefreshToken,
  newAccessToken,
  type RefreshTokenSecret,
  refreshTokenHash,
} from './grant.ts'

/** What the first tokens of a grant are made of. */
export interface FreshSecrets {
  readonly accessToken: Secret
  readonly family: string
  readonly refreshToken: Secret
}

/** What becomes of a grant with its first tokens, beside its code. */
type FirstTokens = Pick<Grant, 'usedAt' | 'accessTokens' | 'refresh'>

/** The first tokens of a grant, bound to a key if one is proven. Only a client that is registered for it gets a refresh token. */
export function firstTokens(
  grant: Grant,
  client: Client,
  fresh: FreshSecrets,
  resources: readonly string[],
  now: number,
  times: GrantTerms,
  jkt?: string,
): { readonly tokens: FirstTokens; readonly issued: IssuedTokens } {
  const access = newAccessToken(fresh.accessToken, grant, grant.scopes, resources, now, times, jkt)
  const refreshToken = client.grantTypes.includes('refresh_token')
    ? { family: fresh.family, generation: 0, secret: fresh.refreshToken }
    : undefined
  const refresh = refreshToken && firstRefreshState(refreshToken, grant, client, now, times, jkt)
  return {
    tokens: { usedAt: now, accessTokens: [access], refresh },
    issued: {
      accessToken: fresh.accessToken,
      refreshToken,
      scopes: grant.scopes,
      resources,
      expiresIn: access.expiresAt - now,
      jkt,
    },
  }
}

function firstRefreshState(
  token: RefreshTokenSecret,
  grant: Grant,
  client: Client,
  now: number,
  times: GrantTerms,
  jkt: string | undefined,
): RefreshState {
  return {
    familyHash: sha256(token.family),
    generation: 0,
    hash: refreshTokenHash(token),
    expiresAt: Math.min(now + times.refreshToken, grant.expiresAt),
    ...boundTo(keyOfRefreshToken(client, jkt)),
    ...methodOfRefreshToken(client),
  }
}
