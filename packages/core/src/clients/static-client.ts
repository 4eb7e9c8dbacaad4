import type { SigningAlgorithm } from '../kernel/records.ts'
import type { FeatureClientMetadata } from './client-record.ts'

/** The metadata of a static client (RFC 7591 2), in camelCase: a client that the operator registers. */
export interface StaticClient extends FeatureClientMetadata {
  readonly clientName: string
  /** https, loopback or private-use URIs, or whatever `redirectUriPolicy` accepts. Empty for a client without a browser. */
  readonly redirectUris: readonly string[]
  readonly applicationType?: 'native' | 'web' | undefined
  /** Default: the first method of the server with a secret; `none` makes the client public. */
  readonly tokenEndpointAuthMethod?: string | undefined
  /** Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly string[] | undefined
  /** The scopes that it may request. Default: every scope of the catalogue that is not `restricted`. */
  readonly scopes?: readonly string[] | undefined
  readonly idTokenSignedResponseAlg?: SigningAlgorithm | undefined
  readonly clientUri?: string | undefined
  readonly logoUri?: string | undefined
  readonly tosUri?: string | undefined
  readonly policyUri?: string | undefined
  readonly contacts?: readonly string[] | undefined
  readonly softwareId?: string | undefined
  readonly softwareVersion?: string | undefined
  /** It may introspect the access tokens of every client. Default false. */
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
  /** Seconds after which its secret ends, at most 10 years. Default: without end. `clients.rotateSecret` gives it another one. */
  readonly clientSecretExpiresIn?: number | undefined
}

/**
 * Changes of a static client. `null` is as if `clients.add` had not had the member. A client stays public or confidential.
 */
export type ClientChanges = {
  readonly [Member in keyof Omit<StaticClient, 'clientSecretExpiresIn'>]?:
    | StaticClient[Member]
    | null
    | undefined
}

/** A static client for a known client, with the name and redirect URIs of its entry. Further redirect URIs may be added. */
export interface KnownStaticClient
  extends Omit<
      StaticClient,
      'clientName' | 'redirectUris' | 'rememberConsent' | 'pkceOptional' | 'nonceOptional'
    >,
    Partial<Pick<StaticClient, 'clientName' | 'redirectUris'>> {
  /** The id of an entry of the option `knownClients`. */
  readonly known: string
}
