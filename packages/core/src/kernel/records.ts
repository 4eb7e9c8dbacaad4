/** The stored records. Times are whole seconds since the epoch, as in RFC 7519. */
import type { GrantId, Hash } from './secrets.ts'

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** What is recorded of a client as it was given: what others show of it, and what only the operator sets, for a static client. */
export interface ClientSettings {
  readonly clientUri?: string | undefined
  readonly logoUri?: string | undefined
  readonly tosUri?: string | undefined
  readonly policyUri?: string | undefined
  readonly contacts?: readonly string[] | undefined
  readonly softwareId?: string | undefined
  readonly softwareVersion?: string | undefined
  /** It may introspect the access tokens of every client (RFC 7662 2.1). Default false. */
  readonly resourceServer?: boolean | undefined
  /** Skips the consent page for scopes and resources that the user has allowed before. Confidential clients only. Default false. */
  readonly rememberConsent?: boolean | undefined
  /**
   * It may omit the PKCE challenge in a request with `openid` and a `nonce`, for software without PKCE (OAuth 2.1 7.5.1).
   * Confidential clients only. Default false.
   */
  readonly pkceOptional?: boolean | undefined
  /**
   * Together with `pkceOptional`: it may omit the nonce too, and `openid`, as OpenID Connect Core has it. Nothing protects it from
   * an injected code then. No profile allows it. Default false.
   */
  readonly nonceOptional?: boolean | undefined
  /**
   * How many tokens it may get in a minute, by answers of the token endpoint, at most 1,000,000. Above it the answer is 429 with
   * `Retry-After`, and nothing is used up. Default: no limit.
   */
  readonly tokensPerMinute?: number | undefined
  /** How many new grants it may get tokens for in an hour, at most 1,000,000. A refresh is no new grant. Default: no limit. */
  readonly grantsPerHour?: number | undefined
}

/** A client: it registered itself (RFC 7591), the operator registered it, or a document describes it. */
export interface Client extends ClientSettings {
  readonly clientId: string
  /**
   * `registered`: it registered itself, so its name is only a claim. `integration`: the operator registered it as a
   * static client. `document`: its `client_id` is the URL of a document, and it is verified by the host of that URL.
   */
  readonly origin: 'registered' | 'integration' | 'document'
  readonly clientName?: string | undefined
  readonly applicationType: 'native' | 'web'
  readonly redirectUris: readonly string[]
  /** The name of its authentication method (RFC 7591 2). */
  readonly tokenEndpointAuthMethod: string
  /** Other methods that its document names, each as good. */
  readonly otherAuthMethods?: readonly string[] | undefined
  /** Its document names no method that this server offers, so it gets no code. */
  readonly cannotAuthenticate?: boolean | undefined
  /** SHA-256 of the newest client secret; confidential clients only. */
  readonly secretHash?: Hash | undefined
  /** When the newest client secret ends (RFC 7591 3.2.1). Absent: never. The older release does not know this member and the next two. */
  readonly clientSecretExpiresAt?: number | undefined
  /** SHA-256 of the secret before the last rotation. It may have ended. */
  readonly oldSecretHash?: Hash | undefined
  readonly oldSecretEndsAt?: number | undefined
  readonly grantTypes: readonly string[]
  /**
   * The scopes it registered. A static client and a client with a document may request no others, and absent means every
   * scope. For a self-registered client they are the scopes of a request that names none.
   */
  readonly scopes?: readonly string[] | undefined
  /** The limit of a self-registered client, of its initial access token. Absent: every scope. The older release does not know it. */
  readonly scopeLimit?: readonly string[] | undefined
  readonly idTokenSignedResponseAlg: SigningAlgorithm
  /** The document that was fetched for it; absent if the operator configured one. */
  readonly document?: ClientDocument | undefined
  /** The operator lets it use the https redirect URIs of its document. */
  readonly httpsCallbacks?: boolean | undefined
  /** The id of the client to which its redirect URIs belong, if many users share them. For pages and lists only; it permits nothing. */
  readonly knownClient?: string | undefined
  /** The operator removed it. The record stays, so that its document does not bring it back. */
  readonly refused?: boolean | undefined
  /** Client metadata that features read, by the names of RFC 7591. */
  readonly featureMetadata?: FeatureMetadata | undefined
  readonly createdAt: number
  /** The record expires then: after a day if no user approves the client, otherwise not before its last grant. */
  readonly expiresAt: number
}

/**
 * Client metadata that features read, by the names of RFC 7591. A feature declares the types of its members by declaration
 * merging: `declare module '@grantkit/core/feature' { interface FeatureMetadata { readonly badge_colour?: string } }`. In
 * `clients.add` and in views the name is `badgeColour`.
 */
export interface FeatureMetadata {
  readonly [member: string]: unknown
}

/**
 * What users decide beside scopes and resources, as plain JSON, by the names of the terms. A feature declares the types of its own
 * by declaration merging, as for {@link FeatureMetadata}.
 */
export interface Terms {
  readonly [name: string]: unknown
}

/** What the consent page shows of them. */
export interface TermViews {
  readonly [name: string]: unknown
}

export interface ClientDocument {
  readonly fetchedAt: number
  /** SHA-256 of the client metadata in the document. */
  readonly hash: Hash
  /** Grants that were approved before it end at their next refresh. */
  readonly consentSince?: number | undefined
}

/** The result of one approval: one record under one key. `grants/grant.ts` holds all its transitions. */
export interface Grant {
  readonly id: GrantId
  /** The user who approved; absent for a grant without a user. */
  readonly subject?: string | undefined
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The scopes that the client requested and did not get; absent if it got all of them. */
  readonly withheldScopes?: readonly string[] | undefined
  /** The resource indicators (RFC 8707) it is bound to; empty means every resource of this server. */
  readonly resources: readonly string[]
  /** What the user decided beside them. Where a feature of these is not mounted, the grant is refused. */
  readonly terms?: Terms | undefined
  /** The target of the code; absent if no browser was involved. The user sees it in the list of grants. */
  readonly redirectUri?: string | undefined
  /**
   * `device`: the device grant (RFC 8628). `machine`: client credentials (RFC 6749 4.4) or the token of a workload, without a
   * user. `assertion`: an assertion about the user (RFC 7523). `personal`: a personal access token, which the user made.
   * `backchannel`: backchannel authentication (CIBA). Absent: the authorization code flow.
   */
  readonly origin?: 'device' | 'machine' | 'assertion' | 'personal' | 'backchannel' | undefined
  /** What the user calls a personal access token. The older release does not know it. */
  readonly label?: string | undefined
  /** The issuer that allowed it, by an assertion (RFC 7523). Absent if the user did. */
  readonly authority?: GrantAuthority | undefined
  /** The network that the request of a device or by a back channel came from: 24 bits of IPv4, 48 of IPv6. Of a personal access token: the one of its last use. */
  readonly network?: string | undefined
  /** For the first ID token alone (OpenID Connect Core 12.2): dropped when the code is redeemed. */
  readonly nonce?: string | undefined
  /** Time of the user's sign-in (OpenID Connect Core 2, `auth_time`). */
  readonly authTime?: number | undefined
  /**
   * The class and the methods of that sign-in (OpenID Connect Core 2, RFC 8176), from the session or the assertion. A
   * refresh changes none of the three. The older release does not know these two.
   */
  readonly acr?: string | undefined
  readonly amr?: readonly string[] | undefined
  /** The name of the session it began in: a client hears of its end (Back-Channel Logout 2.3), or the grant ends with it. */
  readonly sid?: string | undefined
  readonly createdAt: number
  /**
   * The last time that it got tokens: later than `rotatedAt`, its refresh token is in use without a rotation. Of a personal access
   * token its last use, written at most once an hour; `createdAt` before the first one.
   */
  readonly usedAt: number
  /** The absolute end; a rotation does not move it. */
  readonly expiresAt: number
  /**
   * The end of the consent ticket that opened it, on every replica. Until then the record stays, even if the grant has
   * ended: its id keeps the ticket from opening another grant. Absent if the grant began without a ticket.
   */
  readonly ticketEndsAt?: number | undefined
  /** By what people find its beginning, 8 characters. Absent if it began without an observer. */
  readonly reference?: string | undefined
  /** Whose it was, if it has ended: its reference is for no other caller. Absent without one. The older release does not know it. */
  readonly ended?: { readonly clientId: string; readonly hashes: readonly Hash[] } | undefined
  /** Absent if the grant began without a code. */
  readonly code?: AuthorizationCode | undefined
  readonly refresh?: RefreshState | undefined
  readonly accessTokens: readonly AccessTokenState[]
}

/** What the issuer of an assertion says (RFC 7523). */
interface GrantAuthority {
  /** Its `iss`. */
  readonly issuer: string
  /** Its `sub`: the user or the workload, at the issuer. */
  readonly subject: string
  /** Its organization, where several share the issuer. Only within it the subject is unique. The older release does not know it. */
  readonly tenant?: string | undefined
  /** Who acts for the user there (RFC 8693 4.1, `act.sub`). */
  readonly actor?: string | undefined
}

export interface AuthorizationCode {
  readonly hash: Hash
  /** Absent if the client sent none and may do that. Dropped when the code is redeemed: nothing needs it after that. */
  readonly challenge?: string | undefined
  readonly expiresAt: number
  /** The thumbprint of the only key that may redeem it (RFC 9449 10, `dpop_jkt`). */
  readonly jkt?: string | undefined
  /** Set by the redemption; a second redemption is a replay. */
  readonly redeemedAt?: number | undefined
  /** Of a device code: its tokens were derived with it, so that a lost answer can be sent again. */
  readonly salt?: string | undefined
  /** The key that they were derived with. */
  readonly keyId?: string | undefined
}

export interface RefreshState {
  /** Proves that a presented token belongs, or once belonged, to this grant. */
  readonly familyHash: Hash
  readonly generation: number
  /** SHA-256 of family, generation and secret of the current token. */
  readonly hash: Hash
  /** The idle end; every rotation moves it, but never past the end of the grant. */
  readonly expiresAt: number
  /** The thumbprint of the key that every refresh must prove. Public clients only: others authenticate (RFC 9449 5). */
  readonly jkt?: string | undefined
  /** The method by which every refresh must authenticate: the grant of a document's client began with it. */
  readonly authMethod?: string | undefined
  /** The rotation that made the current token, stored so that a lost answer can be sent again. */
  readonly previous?: Rotation | undefined
  /** It was returned again late, so two callers may hold it. Its own rotation is repeated only inside the retry window. */
  readonly shared?: true | undefined
  /** Earlier rotations that are still inside the retry window, the oldest first. Absent if there are none, as usual. */
  readonly recent?: readonly RecentRotation[] | undefined
}

/** This generation, and those up to the next entry, were rotated at this time or shortly before. */
interface RecentRotation {
  readonly generation: number
  readonly rotatedAt: number
}

export interface Rotation {
  readonly hash: Hash
  readonly salt: string
  /** The key that the successors were derived with. */
  readonly keyId: string
  readonly rotatedAt: number
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  /** The key that its access token is bound to. */
  readonly jkt?: string | undefined
  /** The token that it spent was shared. */
  readonly ofShared?: true | undefined
}

export interface AccessTokenState {
  readonly hash: Hash
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
  /** It was issued as a JWT, which a guard without the store honours: its end goes into the revocation log. */
  readonly signed?: true | undefined
  /** The thumbprint of the key that a request with it must prove (RFC 7800 3.1, `cnf`). Absent for a bearer token. */
  readonly jkt?: string | undefined
  /** The token it was exchanged for (RFC 8693): it ends with that one. */
  readonly parent?: Hash | undefined
  /** Those of the grant, narrowed for this token. Absent: those of the grant. */
  readonly terms?: Terms | undefined
  /** The client that exchanged it, and so holds it. Absent: the client of the grant holds it. */
  readonly actor?: Actor | undefined
}

/** Who acts for the user (RFC 8693 4.1): the client that holds the token, then the one whose token it exchanged. */
export interface Actor {
  /** A client id. */
  readonly sub: string
  readonly act?: Actor | undefined
}

/** A short-lived record that is never listed: a device request, or the mark of a spent ticket or proof. */
export interface Transient {
  /** The kind of the record. Each writer reads only its own kind. */
  readonly kind: string
  readonly expiresAt: number
  readonly [member: string]: unknown
}

/** Records have camelCase names, messages the snake_case ones of RFCs. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

export type CamelCased<Members> = { [Name in keyof Members as CamelCase<Name & string>]: Members[Name] }

/** Names are those of schemas, so they are few: a registration would spend a third of its work on spelling. */
const camelCases = new Map<string, string>()

export function camelCase(name: string): string {
  const known = camelCases.get(name)
  if (known !== undefined) return known
  const spelled = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  camelCases.set(name, spelled)
  return spelled
}

export function camelCased<Members extends object>(members: Members): CamelCased<Members> {
  return renamed(members, camelCase) as CamelCased<Members>
}

export function snakeCased(members: object): Record<string, unknown> {
  return renamed(members, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function renamed(members: object, rename: (name: string) => string): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const name in members) named[rename(name)] = members[name as keyof typeof members]
  return named
}
