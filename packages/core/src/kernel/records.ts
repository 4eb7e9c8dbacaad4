/** What is stored. Every time is in whole seconds since the epoch, as in RFC 7519. */
import type { GrantId, Hash } from './secrets.ts'

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** A client that registered itself (RFC 7591), or an integration, which the operator registered before. */
export interface Client {
  readonly clientId: string
  /** `registered`: it registered itself and its name is only a claim. `integration`: the operator vouches for it. */
  readonly origin: 'registered' | 'integration'
  readonly clientName?: string | undefined
  readonly applicationType: 'native' | 'web'
  readonly redirectUris: readonly string[]
  /** The name of the one method it authenticates with (RFC 7591 2). */
  readonly tokenEndpointAuthMethod: string
  /** SHA-256 of the client secret; confidential clients only. */
  readonly secretHash?: Hash | undefined
  readonly grantTypes: readonly string[]
  /** The scopes it may ask for; absent means every scope of the catalogue. */
  readonly scopes?: readonly string[] | undefined
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  readonly clientUri?: string | undefined
  readonly logoUri?: string | undefined
  readonly tosUri?: string | undefined
  readonly policyUri?: string | undefined
  readonly contacts?: readonly string[] | undefined
  readonly softwareId?: string | undefined
  readonly softwareVersion?: string | undefined
  /** An integration whose introspection sees the tokens of every client (RFC 7662 2.1). */
  readonly resourceServer?: boolean | undefined
  /** An integration that need not ask again for scopes the user already allowed it. */
  readonly rememberConsent?: boolean | undefined
  readonly createdAt: number
  /** When the record goes: seven days while nobody approved it, then not before its last grant. */
  readonly expiresAt: number
}

/** What one approval produced: one record under one key. `grants/grant.ts` holds every change of it. */
export interface Grant {
  readonly id: GrantId
  /** The user who approved; absent where no user stands behind the grant. */
  readonly subject?: string | undefined
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resource indicators (RFC 8707) it is bound to; empty means every resource of this server. */
  readonly resources: readonly string[]
  /** Where the code was sent; absent where a browser carried none. */
  readonly redirectUri?: string | undefined
  readonly nonce?: string | undefined
  /** When the user signed in (OpenID Connect Core 2, `auth_time`). */
  readonly authTime?: number | undefined
  readonly createdAt: number
  readonly usedAt: number
  /** The absolute end; no rotation moves it. */
  readonly expiresAt: number
  /** Absent where the grant began without a code. */
  readonly code?: AuthorizationCode | undefined
  readonly refresh?: RefreshState | undefined
  readonly accessTokens: readonly AccessTokenState[]
}

export interface AuthorizationCode {
  readonly hash: Hash
  /** Nobody asks for it once the code is redeemed. */
  readonly challenge?: string | undefined
  readonly expiresAt: number
  /** Set by the one redemption; a second one is a replay. */
  readonly redeemedAt?: number | undefined
}

export interface RefreshState {
  /** Proves that a presented token was once a token of this grant. */
  readonly familyHash: Hash
  readonly generation: number
  /** SHA-256 of family, generation and secret of the current token. */
  readonly hash: Hash
  /** The idle end; every rotation moves it, never past the end of the grant. */
  readonly expiresAt: number
  /** The rotation that made the current token, kept so that a lost answer can be given again. */
  readonly previous?: Rotation | undefined
}

export interface Rotation {
  readonly hash: Hash
  readonly salt: string
  readonly rotatedAt: number
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

export interface AccessTokenState {
  readonly hash: Hash
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
}

/** What lives for minutes and is never listed: a device request, the mark of a ticket or proof that is spent. */
export interface Transient {
  /** What the record is. Whoever writes it reads only its own kind. */
  readonly kind: string
  readonly expiresAt: number
  readonly [member: string]: unknown
}
