import { lifetime } from '../kernel/kernel.ts'
import type { GrantTimes } from './grant.ts'

export interface GrantOptions {
  readonly lifetimes?:
    | {
        /** Lifetime of an access token. Default 3600. */
        readonly accessToken?: number | undefined
        /** Lifetime of an unused refresh token. Default 30 days. */
        readonly refreshToken?: number | undefined
        /**
         * A spent refresh token gets the same successor again for this long; 0 is strict. If the store failed in that
         * time, the window begins again when it is back. Default 60.
         */
        readonly refreshRetryWindow?: number | undefined
      }
    | undefined
}

const DAY = 24 * 60 * 60

/** How long tokens live. @throws Error that names the option at fault */
export function grantTimes({ lifetimes }: GrantOptions): GrantTimes {
  return {
    accessToken: lifetime('accessToken', lifetimes?.accessToken, 3600),
    refreshToken: lifetime('refreshToken', lifetimes?.refreshToken, 30 * DAY),
    refreshRetryWindow: lifetime('refreshRetryWindow', lifetimes?.refreshRetryWindow, 60, 0),
  }
}
