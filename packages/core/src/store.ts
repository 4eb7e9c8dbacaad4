/**
 * The Store port: all that Grantkit asks of persistence. Two kinds of record, five verbs, one promise of
 * concurrency. No store needs to know an RFC; `@grantkit/testkit` proves the promises.
 *
 * Every time in a record is in whole seconds since the epoch, as in RFC 7519.
 */

/** A record as it was read, with what the store needs to notice that somebody wrote it since. */
export interface Stored<T> {
  readonly value: T
  /** Opaque: compared by the store, never read by core. */
  readonly version: unknown
}

export interface Records<T> {
  /** The record, or `undefined` when it was never written, was removed, or has expired. */
  find(id: string): Promise<Stored<T> | undefined>

  /**
   * Writes a new record that vanishes at `expiresAt` (epoch seconds). Of any number of concurrent inserts under
   * one id exactly one answers `true`; `false` means the id exists and nothing was written.
   */
  insert(id: string, value: T, expiresAt: number): Promise<boolean>

  /**
   * Compare-and-swap: writes `value` only if the record is still the one that was `seen`, in one atomic step
   * with its new expiry. Answers `false`, and writes nothing, when the record changed, expired or is gone. Of any
   * number of concurrent replacements of one `seen` exactly one answers `true`.
   */
  replace(id: string, seen: Stored<T>, value: T, expiresAt: number): Promise<boolean>

  /** Removes the record, whoever wrote it last. Removing what is not there is no error. */
  remove(id: string): Promise<void>

  /**
   * Every live record, in no particular order and perhaps twice. What lives from the first step to the last is
   * named; what comes or goes meanwhile may be. It takes as long as there are records: no request needs it, only
   * the operator's commands do.
   */
  scan(): AsyncIterable<T>
}

export interface GrantRecords extends Records<Grant> {
  /** The live grants of one subject, in no particular order. May lag behind a write; never names a removed grant. */
  listBySubject(subject: string): Promise<Grant[]>
}

/** A method that cannot reach its records rejects; core then answers 503 and has changed nothing. */
export interface Store {
  readonly clients: Records<Client>
  readonly grants: GrantRecords
}

export type GrantType = 'authorization_code' | 'refresh_token'
export type TokenEndpointAuthMethod = 'none' | 'client_secret_post'
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** A registered client (RFC 7591) or an integration that the operator added. */
export interface Client {
  readonly clientId: string
  /** `registered`: it registered itself and its name is only a claim. `integration`: the operator vouches for it. */
  readonly origin: 'registered' | 'integration'
  readonly clientName?: string
  readonly applicationType: 'native' | 'web'
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** SHA-256 of the client secret; confidential clients only. */
  readonly secretHash?: string
  readonly grantTypes: readonly GrantType[]
  /** The scopes it may ask for; absent means every scope of the catalogue. */
  readonly scopes?: readonly string[]
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  readonly clientUri?: string
  readonly logoUri?: string
  readonly tosUri?: string
  readonly policyUri?: string
  readonly contacts?: readonly string[]
  readonly softwareId?: string
  readonly softwareVersion?: string
  /** An integration whose introspection sees the tokens of every client (RFC 7662 2.1). */
  readonly resourceServer?: boolean
  /** An integration that need not ask again for scopes the user already allowed it. */
  readonly rememberConsent?: boolean
  readonly createdAt: number
  /** When the record goes: seven days while nobody approved it, then not before its last grant. */
  readonly expiresAt: number
}

/** What one approval produced: one record under one key. `rules/grant.ts` holds every change of it. */
export interface Grant {
  readonly id: string
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The resource indicators (RFC 8707) it is bound to; empty means every resource of this server. */
  readonly resources: readonly string[]
  readonly redirectUri: string
  readonly nonce?: string
  /** When the user signed in (OIDC Core 2, `auth_time`). */
  readonly authTime: number
  readonly createdAt: number
  readonly usedAt: number
  /** The absolute end; no rotation moves it. */
  readonly expiresAt: number
  readonly code: AuthorizationCode
  readonly refresh?: RefreshState
  readonly accessTokens: readonly AccessTokenState[]
}

export interface AuthorizationCode {
  readonly hash: string
  /** Nobody asks for it once the code is redeemed. */
  readonly challenge?: string
  readonly expiresAt: number
  /** Set by the one redemption; a second one is a replay. */
  readonly redeemedAt?: number
}

export interface RefreshState {
  /** Proves that a presented token was once a token of this grant. */
  readonly familyHash: string
  readonly generation: number
  /** SHA-256 of family, generation and secret of the current token. */
  readonly hash: string
  /** The idle end; every rotation moves it, never past the end of the grant. */
  readonly expiresAt: number
  /** The rotation that made the current token, kept so that a lost answer can be given again. */
  readonly previous?: Rotation
}

export interface Rotation {
  readonly hash: string
  readonly salt: string
  readonly rotatedAt: number
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

export interface AccessTokenState {
  readonly hash: string
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
}
