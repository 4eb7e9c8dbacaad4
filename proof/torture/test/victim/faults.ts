/** The faults of the victim. Each is one line of it. */
export const FAULTS = {
  1: 'a code is read, and then marked',
  2: 'a refresh token is read, and then rotated',
  3: 'a replay is refused, and the descendants live on',
  4: 'rotations are compared by seconds',
  5: 'a restart forgets rotations',
  6: 'a refresh in flight survives an acknowledged revocation',
  7: 'a revocation is acknowledged before it is written',
  8: 'the cache of the guard outlives its declared time',
  9: 'the previous refresh token works again and again',
  10: 'a lost answer costs the grant',
  11: 'a replay ends all grants of the user at the client',
  12: 'expired codes work for ten minutes',
  13: 'the clock of a replica is 90 seconds ahead',
  14: 'the loser of a race gets a 500',
  15: 'two device polls both win',
  16: 'a logout leaves the refresh tokens',
  17: 'a code works after its user denied',
  18: 'exchanged tokens outlive the grant',
  19: 'the loser of a redemption skips PKCE',
  20: 'introspection on the other replica says active',
} as const

export type Fault = keyof typeof FAULTS

/** How a correct server treats a spent refresh token. */
export type Variant = 'strict' | 'same-pair' | 'overlap' | 'none'

export interface VictimOptions {
  /** Default: `same-pair`. */
  readonly variant?: Variant | undefined
  readonly fault?: Fault | undefined
  /** Default: 120. */
  readonly codeSeconds?: number | undefined
  /** Default: 300. */
  readonly accessSeconds?: number | undefined
}

/** For how long a spent token gets its pair again, or one of its own, in milliseconds. */
export const WINDOW_MS = 10_000
