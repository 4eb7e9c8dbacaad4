/** The record of a client: how it is made from client metadata, and the two views of it. */
import type { Kernel } from '../kernel/kernel.ts'
import { camelCased } from '../kernel/member-names.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, FeatureMetadata, Grant } from '../kernel/records.ts'
import { includesAll, OPENID, partOf, SCOPE_ERRORS, unrestricted } from '../kernel/scope.ts'
import { newClientId, newSecret, type Secret, sha256 } from '../kernel/secrets.ts'
import {
  type ClientMetadata,
  METADATA_ERRORS,
  type Registrable,
  registeredScopes,
} from './client-metadata.ts'
import { applicationTypeOf, redirectUriMatches } from './redirect-uri.ts'

/** The longest life of a client's secret in seconds: 10 years. */
export const MAX_EXPIRES_IN = 3650 * 24 * 60 * 60

/** A new client with its secret, which is shown only once. */
interface NewClient {
  readonly client: Client
  readonly clientSecret?: Secret | undefined
}

/** The members in which self-registered clients, static clients and clients of documents differ. */
export type ClientTerms = Pick<
  Client,
  | 'origin'
  | 'expiresAt'
  | 'redirectUris'
  | 'knownClient'
  | 'resourceServer'
  | 'rememberConsent'
  | 'pkceOptional'
  | 'nonceOptional'
  | 'featureMetadata'
  | 'otherAuthMethods'
  | 'cannotAuthenticate'
  | 'clientSecretExpiresAt'
  | 'scopeLimit'
  | 'tokensPerMinute'
  | 'grantsPerHour'
>

interface BeforeInsert {
  /** Called once the client is known to be valid. @throws OAuthError to store nothing */
  readonly beforeInsert?: (() => Promise<void>) | undefined
}

/** Creates and stores a client from valid metadata. @throws OAuthError `invalid_client_metadata` */
export async function addClient(
  kernel: Kernel,
  metadata: ClientMetadata,
  terms: ClientTerms,
  {
    checkClient,
    secretMethods = [],
    beforeInsert,
  }: Pick<Registrable, 'checkClient' | 'secretMethods'> & BeforeInsert,
): Promise<NewClient> {
  const usesSecret = secretMethods.includes(metadata.token_endpoint_auth_method)
  const clientSecret = usesSecret ? newSecret(kernel.random) : undefined
  const secretHash = clientSecret && sha256(clientSecret)
  const client = clientFrom(kernel, newClientId(kernel.random), metadata, { ...terms, secretHash })
  checkClient?.(client)
  await beforeInsert?.()
  const stored = await kernel.store.clients.records.insert(client.clientId, client, client.expiresAt)
  if (!stored) throw new Error('A new client_id exists already: the source of randomness repeats itself')
  return { client, clientSecret }
}

/** The record of a client. @throws OAuthError `invalid_client_metadata` */
export function clientFrom(
  kernel: Kernel,
  clientId: string,
  metadata: ClientMetadata,
  terms: ClientTerms & Pick<Client, 'secretHash'>,
): Client {
  return withoutUndefined<Client>({
    ...terms,
    ...descriptiveMembers(metadata),
    clientId,
    applicationType: metadata.application_type ?? applicationTypeOf(terms.redirectUris),
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    grantTypes: metadata.grant_types,
    idTokenSignedResponseAlg: metadata.id_token_signed_response_alg,
    createdAt: kernel.now(),
    scopes: scopesOf(
      terms.origin === 'integration' ? Object.keys(kernel.scopes) : unrestricted(kernel.scopes),
      metadata.scope,
    ),
  })
}

/** The client information response (RFC 7591 3.2.1): the metadata as it took effect. */
export function clientInformation(
  { client, clientSecret }: NewClient,
  { scopes }: Pick<Kernel, 'scopes'>,
): object {
  return {
    client_id: client.clientId,
    client_id_issued_at: client.createdAt,
    client_secret: clientSecret,
    client_secret_expires_at: clientSecret === undefined ? undefined : (client.clientSecretExpiresAt ?? 0),
    client_name: client.clientName,
    application_type: client.applicationType,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    grant_types: client.grantTypes,
    // Every client that registers itself has the code grant.
    response_types: ['code'],
    // What it may request, although it named no scope.
    scope: (client.scopes ?? client.scopeLimit)?.join(' '),
    // Without OpenID Connect there are no ID tokens.
    id_token_signed_response_alg: Object.hasOwn(scopes, OPENID) ? client.idTokenSignedResponseAlg : undefined,
    client_uri: client.clientUri,
    logo_uri: client.logoUri,
    tos_uri: client.tosUri,
    policy_uri: client.policyUri,
    contacts: client.contacts,
    software_id: client.softwareId,
    software_version: client.softwareVersion,
    ...client.featureMetadata,
  }
}

function descriptiveMembers(metadata: ClientMetadata) {
  return {
    clientName: metadata.client_name,
    clientUri: metadata.client_uri,
    logoUri: metadata.logo_uri,
    tosUri: metadata.tos_uri,
    policyUri: metadata.policy_uri,
    contacts: metadata.contacts,
    softwareId: metadata.software_id,
    softwareVersion: metadata.software_version,
  }
}

export function scopesOf(
  allowed: readonly string[],
  scope: string | undefined,
): readonly string[] | undefined {
  if (scope === undefined) return undefined
  const scopes = registeredScopes(scope, allowed)
  if (scopes !== undefined) return scopes
  throw new OAuthError(METADATA_ERRORS.client_metadata_invalid, 'scope: names no scope of this server')
}

/** Keeps the record small: most clients send little metadata. */
export function withoutUndefined<T extends object>(members: T): T {
  const kept: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as T
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** What features declare in `FeatureMetadata`. */
type DeclaredMetadata = {
  readonly [Name in keyof FeatureMetadata as string extends Name ? never : CamelCase<Name & string>]?:
    | FeatureMetadata[Name]
    | undefined
}

/** Client metadata that features read. Each member counts where its feature is mounted. */
export interface FeatureClientMetadata extends DeclaredMetadata {
  /** For `logout()`: https, loopback or private-use URIs (RP-Initiated Logout 3.1). */
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** For `backChannelLogout()`: where the server sends a logout token when a session ends (Back-Channel Logout 2.2). */
  readonly backchannelLogoutUri?: string | undefined
  /** Each logout token must have a `sid`. Default false. */
  readonly backchannelLogoutSessionRequired?: boolean | undefined
  /** Its grants without `offline_access` end with the session they began in. Default false. */
  readonly sessionBound?: boolean | undefined
  /** For OpenID Connect: the ID token has the claims of the user that the granted scopes open. */
  readonly idTokenClaims?: boolean | undefined
  /** For `pushedAuthorizationRequests()`: its requests must be pushed (RFC 9126 6). */
  readonly requirePushedAuthorizationRequests?: boolean | undefined
  /** For `dpop()`: its tokens must be bound to a key (RFC 9449 5.2). */
  readonly dpopBoundAccessTokens?: boolean | undefined
  /** For `tokenExchange()`: the resources it serves. It may exchange the tokens that their callers present. */
  readonly tokenExchangeResources?: readonly string[] | undefined
  /** For `clientAssertion()`: its public keys, or their address (RFC 7591 2). */
  readonly jwks?: { readonly keys: readonly object[] } | undefined
  readonly jwksUri?: string | undefined
  readonly tokenEndpointAuthSigningAlg?: string | undefined
  /** For `clientCredentials()`: the scopes of its own tokens. `scopes` is for tokens of users. */
  readonly clientCredentialsScopes?: readonly string[] | undefined
}

/** A client as pages, lists and hints get it: without the hashes of its secrets, and with the members of features in camelCase. */
export type PublicClient = Omit<Client, 'secretHash' | 'oldSecretHash' | 'featureMetadata'> &
  FeatureClientMetadata & {
    readonly secretHash?: undefined
    readonly oldSecretHash?: undefined
    readonly featureMetadata?: undefined
  }

/**
 * A client without the hashes of its secrets, for a page or a log.
 *
 */
export function publicClient(client: Client): PublicClient {
  const { secretHash: _, oldSecretHash: __, featureMetadata, ...shown } = client
  return { ...(featureMetadata && camelCased(featureMetadata)), ...shown }
}

// What a change of a static client leaves of the grants that it has: it counts when the next token is issued. Nobody changes
// the terms of other clients in this way.

/** Whether a code may still be redeemed that was sent to this redirect URI. */
export function mayRedeemAt({ origin, redirectUris }: Client, redirectUri: string | undefined): boolean {
  if (origin !== 'integration' || redirectUri === undefined) return true
  return redirectUris.some((uri) => redirectUriMatches(uri, redirectUri))
}

/**
 * The grant without the scopes that its client no longer has. It lists them as withheld, so that a request that names them
 * gets the others. @throws OAuthError `invalid_scope` when none remains
 */
export function withRemainingScopes(grant: Grant, { origin, scopes }: Client): Grant {
  if (origin !== 'integration' || scopes === undefined || includesAll(scopes, grant.scopes)) return grant
  const remaining = partOf(grant.scopes, scopes)
  if (remaining.length === 0) throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
  const lost = grant.scopes.filter((scope) => !scopes.includes(scope))
  return { ...grant, scopes: remaining, withheldScopes: [...(grant.withheldScopes ?? []), ...lost] }
}
