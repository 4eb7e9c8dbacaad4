import * as z from 'zod'
import { listOf, text } from '../http/message.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { SigningAlgorithm } from '../kernel/records.ts'
import {
  clientMetadata,
  grantTypesOf,
  METADATA_ERRORS,
  type Registrable,
  refuseResponseParameters,
} from './client-metadata.ts'
import { type FeatureClientMetadata, MAX_EXPIRES_IN } from './client-record.ts'
import { isRegistrableByOperator } from './redirect-uri.ts'
import { isAcceptedBy, REDIRECT_URI_ERRORS, type RedirectUriPolicy } from './redirect-uri-policy.ts'

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

/** A static client with the name and redirect URIs of an entry. Further redirect URIs may be added. */
export interface NamedStaticClient
  extends Omit<
      StaticClient,
      'clientName' | 'redirectUris' | 'rememberConsent' | 'pkceOptional' | 'nonceOptional'
    >,
    Partial<Pick<StaticClient, 'clientName' | 'redirectUris'>> {
  /** The id of an entry of the option `knownClients`. */
  readonly known: string
}

// Metadata of static clients: its schema, and the rules that concern several members.

const limit = z.int().min(1).max(1_000_000)

/** The members that no other client has, and those that are read otherwise. The same on every server. */
const MEMBERS = {
  redirect_uris: z.array(z.string()).max(20),
  scope: z.never('use scopes, which is a list').optional(),
  scopes: listOf(text(), 500).optional(),
  resource_server: z.boolean().default(false),
  remember_consent: z.boolean().default(false),
  pkce_optional: z.boolean().default(false),
  nonce_optional: z.boolean().default(false),
  tokens_per_minute: limit.optional(),
  grants_per_hour: limit.optional(),
  client_secret_expires_in: z.int().min(1).max(MAX_EXPIRES_IN).optional(),
}

/** By the names of RFC 7591, as all client metadata in core. */
export function staticMetadata(registrable: Registrable) {
  const { authMethods } = registrable
  const { client_name, ...registered } = clientMetadata(registrable).shape
  return {
    ...registered,
    ...MEMBERS,
    client_name: client_name.unwrap(),
    token_endpoint_auth_method: z
      .enum(authMethods)
      .default(authMethods.find((name) => name !== 'none') ?? 'none'),
    grant_types: grantTypesOf(registrable),
  }
}
export type StaticMetadata = z.output<z.ZodObject<ReturnType<typeof staticMetadata>>>

/** Most members are optional: a misspelled one would silently have no effect. */
export function refuseSnakeCase(registration: object): void {
  const name = Object.keys(registration).find((key) => key.includes('_'))
  if (name !== undefined)
    throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, `${name}: members are in camelCase`)
}

interface Redirects {
  readonly redirect_uris: readonly string[]
  readonly resource_server: boolean
  readonly grant_types: readonly string[]
}

export function checkRedirectUris(
  { redirect_uris, resource_server, grant_types }: Redirects,
  policy: RedirectUriPolicy,
): void {
  const { redirect_uri_refused } = REDIRECT_URI_ERRORS
  const refused = redirect_uris.find((uri) => !isRegistrableByOperator(uri) && !isAcceptedBy(policy, uri))
  if (refused !== undefined)
    throw new OAuthError(
      redirect_uri_refused,
      `${refused}: must be https, loopback or of a private-use scheme such as com.example.app:/callback, without a fragment`,
    )
  refuseResponseParameters(redirect_uris)
  const needed = grant_types.includes('authorization_code') && !resource_server
  if (redirect_uris.length === 0 && needed)
    throw new OAuthError(redirect_uri_refused, 'redirectUris must not be empty')
}

export function checkPkce({
  pkce_optional,
  nonce_optional,
  token_endpoint_auth_method,
}: Pick<StaticMetadata, 'pkce_optional' | 'nonce_optional' | 'token_endpoint_auth_method'>): void {
  if (nonce_optional && !pkce_optional)
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'nonceOptional: only together with pkceOptional',
    )
  if (pkce_optional && token_endpoint_auth_method === 'none')
    throw new OAuthError(
      METADATA_ERRORS.client_metadata_invalid,
      'pkceOptional: PKCE is the only protection of the code of a public client; only a confidential client may omit it',
    )
}
