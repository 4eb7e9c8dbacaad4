import { lifetime } from '../kernel/kernel.ts'
import type { GrantTerms, RefreshTokenRotation } from './grant.ts'
import { MAX_RETRY } from './retry-window.ts'

export interface GrantOptions {
  readonly lifetimes?:
    | {
        /** Lifetime of an access token. Default 3600. */
        readonly accessToken?: number | undefined
        /** Lifetime of an unused refresh token. Default 30 days. */
        readonly refreshToken?: number | undefined
        /**
         * A spent refresh token or device code gets the same tokens again for this long, and until somebody uses these for
         * 15 minutes at most; 0 is strict. Default 60, maximum 900.
         */
        readonly refreshRetryWindow?: number | undefined
      }
    | undefined
  /** The most live access tokens of one grant: one more drops the oldest, with an event. Default 8. */
  readonly maxAccessTokens?: number | undefined
  /**
   * Whose refresh tokens are replaced at each use. `public-clients`: a confidential client keeps its own until that expires,
   * because a copy is worth nothing without its authentication (FAPI 2.0 Security Profile 5.3.2.1, item 9). Default
   * `always`.
   */
  readonly refreshTokenRotation?: RefreshTokenRotation | undefined
}

const DAY = 24 * 60 * 60

/** How long tokens live, and how many. @throws Error that names the option at fault */
export function grantTerms({
  lifetimes,
  maxAccessTokens = 8,
  refreshTokenRotation = 'always',
}: GrantOptions): GrantTerms {
  if (!Number.isInteger(maxAccessTokens) || maxAccessTokens < 1 || maxAccessTokens > 100)
    throw new Error('maxAccessTokens must be a whole number from 1 to 100')
  if (refreshTokenRotation !== 'always' && refreshTokenRotation !== 'public-clients')
    throw new Error('refreshTokenRotation must be always or public-clients')
  const refreshRetryWindow = lifetime('refreshRetryWindow', lifetimes?.refreshRetryWindow, 60, 0)
  if (refreshRetryWindow > MAX_RETRY)
    throw new Error(`lifetimes.refreshRetryWindow must be at most ${MAX_RETRY}`)
  return {
    accessToken: lifetime('accessToken', lifetimes?.accessToken, 3600),
    refreshToken: lifetime('refreshToken', lifetimes?.refreshToken, 30 * DAY),
    refreshRetryWindow,
    maxAccessTokens,
    refreshTokenRotation,
  }
}
