import type { Client } from '../client/client-authentication.ts'
import type { Declared } from '../history/declared.ts'

/** What the server does when one request comes after another. */
export interface Calibration {
  readonly rotation: Declared['rotation']
  /** For how long a spent token was answered, in seconds: at least. */
  readonly overlapSeconds: number
  /** Whether a spent refresh token, two generations old, ended its grant. */
  readonly replayEndsFamily: boolean
  /** Whether a logout ended the access token of its session. `undefined` where there is no logout. */
  readonly logoutEnds: boolean | undefined
  /** A client that may ask whether an access token of the first client is active. */
  readonly introspector?: Client | undefined
  /** Whether grants have refresh tokens that can be rotated. */
  readonly refreshes: boolean
}

/** Without a single grant: every check finds its own reason to skip. */
export const UNKNOWN: Calibration = {
  ...{
    rotation: 'strict',
    overlapSeconds: 0,
    replayEndsFamily: true,
    logoutEnds: undefined,
    refreshes: false,
  },
}
