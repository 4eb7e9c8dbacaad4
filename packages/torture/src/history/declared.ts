/** What the server does, as the operator declares it or as the kit saw it when it asked in sequence. */
export interface Declared {
  /**
   * What a spent refresh token gets: `strict`: an error; `same-pair`: its successor once more; `overlap`: a new pair each
   * time; `none`: refresh tokens do not rotate.
   */
  readonly rotation: 'strict' | 'same-pair' | 'overlap' | 'none'
  /** For how long after the rotation `same-pair` and `overlap` answer a spent token, in seconds. */
  readonly overlapSeconds: number
  /** A spent refresh token ends its grant (RFC 9700 section 4.14.2). */
  readonly replayEndsFamily: boolean
  /** A logout ends the refresh tokens of its session. */
  readonly logoutEnds: boolean
  /** How far the clocks of two replicas may differ, in seconds. */
  readonly clockSkewSeconds: number
  /** A spent code ends the grant that came from it (RFC 6749 section 4.1.2). */
  readonly codeReplayEndsFamily: boolean
  /** What the revocation of a refresh token ends: that token, or the grant with its access tokens. */
  readonly revocationEnds: 'token' | 'family'
  /** For how long a resource may accept an access token after its grant ended, in seconds. Default: 0. */
  readonly cacheSeconds?: number | undefined
}

/** The best that a server can do. What it allows needs no declaration. */
export const IDEAL: Declared = {
  rotation: 'strict',
  overlapSeconds: 0,
  replayEndsFamily: true,
  logoutEnds: true,
  clockSkewSeconds: 5,
  codeReplayEndsFamily: true,
  revocationEnds: 'family',
}

/** How far the clocks may differ, in milliseconds. */
export function skewOf(declared: Declared): number {
  return declared.clockSkewSeconds * 1_000
}

/** Until when a spent token is surely answered, and from when it is surely refused, after its rotation, in milliseconds. */
export function windowOf(declared: Declared): { readonly sure: number; readonly most: number } {
  if (declared.rotation === 'strict' || declared.rotation === 'none') return { sure: 0, most: 0 }
  const window = declared.overlapSeconds * 1_000
  return { sure: Math.max(0, window - skewOf(declared)), most: window + skewOf(declared) }
}
