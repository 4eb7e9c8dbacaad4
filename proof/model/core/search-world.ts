import type { IssuedTokens } from '../../../packages/core/src/grants/grant.ts'
import type { RefreshTokenSecret } from '../../../packages/core/src/grants/refresh-token-state.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import type { Hash, Secret } from '../../../packages/core/src/kernel/secrets.ts'

/** A refresh token that was issued, the first one first. */
export interface Issued {
  readonly token: RefreshTokenSecret
  readonly accessToken: Secret
  /** Units; absent while nobody has used it. */
  readonly spentAt?: number | undefined
  /** It was given again after the window, or for a token that was: a thief may have it. */
  readonly isShared?: boolean | undefined
}

/** A grant, and what a witness of all requests knows. */
export interface World {
  /** Absent after its end. */
  readonly grant: Grant | undefined
  /** Units. */
  readonly now: number
  readonly tokens: readonly Issued[]
  readonly revoked: readonly Hash[]
  readonly endedBy: string
  readonly isDevice: boolean
  /** Units by which the clocks of its requests differed. The window is exact only up to this. */
  readonly skew: number
}

/** A use of a refresh token. Times in units. */
export interface Use {
  /** Its place among all tokens. */
  readonly at: number
  readonly presented: Issued
  readonly arrivedAt: number
  readonly decidedAt: number
}

export function ended(world: World, by: string): World {
  return { ...world, grant: undefined, endedBy: by }
}

/** @throws Error if it has none */
export function issuedBy({ accessToken, refreshToken }: IssuedTokens): Issued {
  if (refreshToken === undefined) throw new Error('The answer has no refresh token')
  return { token: refreshToken, accessToken }
}
