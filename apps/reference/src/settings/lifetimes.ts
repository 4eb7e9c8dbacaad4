import type { Settings } from './settings.ts'

/** How long codes, tokens and grants live, in seconds. */
export function lifetimesOf(settings: Settings) {
  return {
    code: settings.CODE_LIFETIME,
    accessToken: settings.ACCESS_TOKEN_LIFETIME,
    refreshToken: settings.REFRESH_TOKEN_LIFETIME,
    grant: settings.GRANT_LIFETIME,
    refreshRetryWindow: settings.REFRESH_RETRY_WINDOW,
  }
}
