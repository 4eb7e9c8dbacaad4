import type { Grant } from '../../kernel/records.ts'
import type { IssuedTokens, RefreshTokenSecret } from '../grant.ts'
import type { SuccessorKeys } from '../successor-keys.ts'
import type { PresentedToken } from './token-state.ts'

export interface RefreshRequest extends PresentedToken {
  readonly clientId: string
  /** The method by which the client has authenticated. */
  readonly authMethod?: string | undefined
  readonly scope: string | undefined
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness, used only if the token is rotated. */
  readonly salt: string
  readonly keys: SuccessorKeys
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
  /** The key for a refresh token that has none yet. */
  readonly refreshKey?: string | undefined
  /** Whether the client keeps its refresh token: whoever copies it cannot prove to be that client. */
  readonly keeps?: boolean | undefined
}

/** The answer of a refresh. It says whether a live access token was removed. */
export interface Refreshed extends IssuedTokens {
  readonly refreshToken: RefreshTokenSecret
  readonly dropped: boolean
}

/** What the new access token may do, and where. */
export type Extent = Pick<Grant, 'scopes' | 'resources'>
