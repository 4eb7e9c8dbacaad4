/** When a refresh token and its grant end, in the token response (draft-ietf-oauth-refresh-token-expiration-03). */
import type { Feature } from '../../feature.ts'

/**
 * Token responses with a refresh token say when it ends: `refresh_token_timeout` is the time in which it must be used,
 * `authorization_expires_in` the time after which the user must sign in again, both in seconds. Clients can then ask for the
 * sign-in while the user is there. The names are those of draft-ietf-oauth-refresh-token-expiration-03 (July 2026, 6.1 and 8),
 * which is not final.
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { refreshTokenExpiration } from '@grantkit/core/refresh-token-expiration'
 *
 * const features = [refreshTokenExpiration()]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function refreshTokenExpiration(): Feature {
  return () => ({
    metadata: { refresh_token_expiration_types_supported: ['authorization', 'token_timeout'] },
    tokenMembers: {
      prepare({ now }, { grant: { refresh, expiresAt }, issued }) {
        if (issued.refreshToken === undefined || refresh === undefined) return undefined
        const authorization = Math.max(expiresAt - now, 0)
        const idle = Math.max(refresh.expiresAt - now, 0)
        // "This value SHALL NOT exceed the value in authorization_expires_in" (6.1), whatever a grant type of a feature stored.
        const timeout = Math.min(idle, authorization)
        return () => ({ refresh_token_timeout: timeout, authorization_expires_in: authorization })
      },
    },
  })
}
