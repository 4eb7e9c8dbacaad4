/** What the server does, as the operator declares it or as the kit saw it when it asked in sequence. */
export interface Declared {
  /**
   * What a spent refresh token gets: `strict`: an error; `same-pair`: its successor once more; `overlap`: a new pair each
   * time; `none`: refresh tokens do not rotate.
   */
  readonly rotation: 'strict' | 'same-pair' | 'overlap' | 'none'
  /** For how long after the rotation `same-pair` and `overlap` answer a spent token, in seconds. */
  readonly overlapSeconds: number
  /**
   * For how long after the rotation `same-pair` repeats the last pair to a client that was away, in seconds: only while its
   * refresh token is unused. A server may refuse, so this is no promise to a client. Default: `overlapSeconds`.
   */
  readonly lateRepeatSeconds?: number | undefined
  /**
   * For how long after its rotation the replay of a refresh token of an *earlier* rotation is refused and ends nothing, in
   * seconds, since requests overtake each other. With it, the server also ends nothing for a request that a rotation
   * overtook. Default: `overlapSeconds`, and each replay after that ends the grant.
   */
  readonly replacedSeconds?: number | undefined
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

/** Times after the rotation of a refresh token, in milliseconds. */
export interface Window {
  /** Until then the spent token is surely answered. */
  readonly sure: number
  /** From then on it is surely refused. */
  readonly most: number
  /** From then on it is surely refused even if its successor is unused. */
  readonly late: number
}

export function windowOf(declared: Declared): Window {
  if (declared.rotation === 'strict' || declared.rotation === 'none') return { sure: 0, most: 0, late: 0 }
  const { overlapSeconds, lateRepeatSeconds = 0 } = declared
  const [window, skew] = [overlapSeconds * 1_000, skewOf(declared)]
  const most = window + skew
  const late = declared.rotation === 'same-pair' ? Math.max(most, lateRepeatSeconds * 1_000 + skew) : most
  return { sure: Math.max(0, window - skew), most, late }
}
