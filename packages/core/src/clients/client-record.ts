/** The record of a client: how it is made from client metadata, the two views of it, and the sources that have it. */
import type { Clients, Kernel, RequestingUser } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import {
  type CamelCase,
  type Client,
  camelCase,
  camelCased,
  type FeatureMetadata,
  type Grant,
  type SigningAlgorithm,
} from '../kernel/records.ts'
import { includesAll, OPENID, parseScope, partOf, SCOPE_ERRORS, unrestricted } from '../kernel/scope.ts'
import { newClientId, newSecret, type Secret, sha256 } from '../kernel/secrets.ts'
import { changeRecord, type Records, type Stored } from '../kernel/store.ts'
import type { WaitingPorts } from '../kernel/time.ts'
import {
  type ClientMembers,
  invalidMetadata,
  MEMBER_NAMES,
  type Registrable,
  recordedMembers,
} from './client-metadata.ts'
import { applicationTypeOf, redirectUriMatches } from './redirect-uri.ts'

/** A new client with its secret, which is shown only once. */
interface NewClient {
  readonly client: Client
  readonly clientSecret?: Secret | undefined
}

/** What no metadata say: in it self-registered clients, static clients and clients of documents differ. */
type ClientTerms = Pick<Client, 'origin' | 'expiresAt' | 'redirectUris'> & Partial<Client>

/**
 * Creates and stores a client from valid metadata.
 *
 * @param beforeInsert called once the client is known to be valid; what it throws, stores nothing
 * @throws OAuthError `invalid_client_metadata`
 */
export async function addClient(
  kernel: Kernel,
  metadata: ClientMembers,
  terms: ClientTerms,
  { checkClient, secretMethods = [] }: Registrable,
  beforeInsert?: () => Promise<void>,
): Promise<NewClient> {
  const usesSecret = secretMethods.includes(metadata.tokenEndpointAuthMethod)
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
  metadata: ClientMembers,
  terms: ClientTerms,
): Client {
  return withoutUndefined<Client>({
    ...(recordedMembers(metadata, terms.origin) as ClientMembers),
    ...terms,
    clientId,
    applicationType: metadata.applicationType ?? applicationTypeOf(terms.redirectUris),
    createdAt: kernel.now(),
    scopes: scopesOf(
      terms.origin === 'integration' ? Object.keys(kernel.scopes) : unrestricted(kernel.scopes),
      metadata.scope,
    ),
  })
}

/** The client information response (RFC 7591 3.2.1): the metadata as it took effect. */
export function clientInformation({ client, clientSecret }: NewClient, { scopes }: Kernel): object {
  const shown = {
    ...client,
    // Every client that registers itself has the code grant.
    responseTypes: ['code'],
    // What it may request, although it named no scope.
    scope: (client.scopes ?? client.scopeLimit)?.join(' '),
    // Without OpenID Connect there are no ID tokens.
    idTokenSignedResponseAlg: Object.hasOwn(scopes, OPENID) ? client.idTokenSignedResponseAlg : undefined,
  }
  const answer: Record<string, unknown> = {
    client_id: client.clientId,
    client_id_issued_at: client.createdAt,
    client_secret: clientSecret,
    client_secret_expires_at: clientSecret === undefined ? undefined : (client.clientSecretExpiresAt ?? 0),
  }
  for (const name of MEMBER_NAMES) {
    const value: unknown = Reflect.get(shown, camelCase(name))
    if (value !== undefined) answer[name] = value
  }
  return Object.assign(answer, client.featureMetadata)
}

/**
 * The scopes a client registers. Others are ignored, because clients often add scopes of other servers.
 *
 * @param allowed those that it may register
 * @throws OAuthError when none of them is allowed
 */
export function scopesOf(
  allowed: readonly string[],
  scope: string | undefined,
): readonly string[] | undefined {
  if (scope === undefined) return undefined
  const named = parseScope(scope) ?? []
  const scopes = named.filter((value) => allowed.includes(value))
  if (scopes.length > 0) return scopes
  const [unknown = ''] = named
  throw invalidMetadata(`scope: names no scope of this server${unknown && `: ${unknown.slice(0, 100)}`}`)
}

/** Keeps the record small: most clients send little metadata. */
export function withoutUndefined<T extends object>(members: T): T {
  const kept: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as T
}

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
  /** For `requestObjects()`: its requests must be signed, by this algorithm if it names one (RFC 9101 10.5). */
  readonly requireSignedRequestObject?: boolean | undefined
  readonly requestObjectSigningAlg?: string | undefined
  /** For `signedResponses()`: the algorithm of its answers, which are then never plain (JARM 3). */
  readonly authorizationSignedResponseAlg?: SigningAlgorithm | undefined
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

/** A client without the hashes of its secrets, for a page or a log. */
export function publicClient(client: Client): PublicClient {
  const { secretHash: _, oldSecretHash: __, featureMetadata, ...shown } = client
  return { ...(featureMetadata && camelCased(featureMetadata)), ...shown }
}

// What a change of a static client leaves of the grants that it has: it counts when the next token is issued. The
// terms of other clients do not change in this way.

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

// Where clients are found.

export const CLIENT_ERRORS = defineErrors({
  client_unknown: ['invalid_client', 'No client has this client_id. The client must register again'],
  client_not_approved: [
    'invalid_client',
    'No user has approved this client yet. Begin at the authorization endpoint',
  ],
})

/** A source of clients: the store, or anything else that a feature turns into a client. */
export interface ClientSource {
  /** Whether this source is responsible for ids of this form. Only the first source that returns true is used. */
  owns(clientId: string): boolean
  /** A client that exists. Unauthenticated callers reach it, so it must not cause outbound requests. */
  find(clientId: string): Promise<Client | undefined>
  /** The host from which `describe` fetches the document of this client, if it does. Then the user signs in first. */
  describedBy?(clientId: string): string | undefined
  /** The client of a new authorization. Default: `find`. @param user present if `describedBy` names a host */
  describe?(clientId: string, user?: RequestingUser): Promise<Client | undefined>
  /** Keeps an approved client at least until `until` (epoch seconds). Absent if clients of this source do not expire. */
  keep?(client: Client, until: number): Promise<void>
  /** Removes a client, and returns whether it existed. Default: removes its record. */
  remove?(clientId: string): Promise<boolean>
}

/** The clients of all sources. @param sources in the order of their look-up; features may add one until the first request */
export function clientsOf(records: Records<Client>, sources: readonly ClientSource[]): Clients {
  function sourceOf(clientId: string): ClientSource | undefined {
    for (const source of sources) if (source.owns(clientId)) return source
    return undefined
  }
  const find: Clients['find'] = (clientId) => sourceOf(clientId)?.find(clientId) ?? Promise.resolve(undefined)
  return {
    records,
    find,
    describedBy: (clientId) => sourceOf(clientId)?.describedBy?.(clientId),
    describe: (clientId, user) => sourceOf(clientId)?.describe?.(clientId, user) ?? find(clientId),
    keep: async (client, until) => sourceOf(client.clientId)?.keep?.(client, until),
    remove: (clientId) => sourceOf(clientId)?.remove?.(clientId) ?? records.remove(clientId),
  }
}

/** An id that is a URL is longer than a generated one. With a network, it stays below the maximum length of a limiter's key. */
export const MAX_CLIENT_ID_LENGTH = 512

/** The clients of the store: self-registered and static ones. */
export function storedClients(records: Records<Client>, ports: WaitingPorts): ClientSource {
  return {
    owns: (clientId) => clientId.length <= MAX_CLIENT_ID_LENGTH,
    find: (clientId) => records.find(clientId).then(unlessRefused),
    // If documents are no longer fetched, existing grants of their clients go on, and no new authorization begins.
    describe: (clientId) =>
      records.find(clientId).then((stored) => (stored?.value.document ? undefined : unlessRefused(stored))),
    keep: ({ clientId }, until) =>
      changeRecord(records, clientId, ports, (seen) => {
        if (seen === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
        return seen.expiresAt >= until ? undefined : { ...seen, expiresAt: until }
      }).then(() => {}),
  }
}

function unlessRefused(stored: Stored<Client> | undefined): Client | undefined {
  return stored?.value.refused === true ? undefined : stored?.value
}
