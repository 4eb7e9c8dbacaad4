import { authorization } from './authorization/authorization.ts'
import { AUTHORIZATION_LIMITS } from './authorization/authorization-context.ts'
import { RESPONSE_TYPE } from './authorization/authorization-request.ts'
import { QUERY } from './authorization/response-mode.ts'
import { STEP_UP_ERRORS } from './authorization/sign-in.ts'
import { sessionEnds, type UserSessions } from './authorization/user-sessions.ts'
import { proofReader, standardMethods } from './clients/authentication/client-authentication.ts'
import { authMethodsOf, clientEndpoint } from './clients/client-endpoint.ts'
import type { Registrable } from './clients/client-metadata.ts'
import { type ClientSource, type PublicClient, publicClient, storedClients } from './clients/client-record.ts'
import {
  type ClientUpdateOptions,
  clientUpdates,
  dropOldSecret,
  type RotatedSecret,
  rotateSecret,
  type SecretRotationOptions,
} from './clients/client-update.ts'
import { REGISTRATION_LIMITS, registration } from './clients/registration.ts'
import {
  type AddedClient,
  type ClientChanges,
  type NamedStaticClient,
  type StaticClient,
  type StaticClientOptions,
  staticClients,
} from './clients/static-clients.ts'
import { addressesOf, type Metadata, metadataDocuments, serverMetadata } from './discovery/server-metadata.ts'
import {
  allTerms,
  type FeatureParts,
  joinedParts,
  type MountedFeatures,
  type NamedParts,
  type Parts,
  registrable,
  type ServerContext,
  serverContext,
  singleParts,
} from './feature.ts'
import {
  admitWithToken,
  type InitialAccessTokens,
  initialAccessTokens,
} from './features/initial-access-tokens/initial-access-tokens.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import type { TermClaims } from './grants/grant.ts'
import { introspection } from './grants/introspection.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { revocation } from './grants/revocation.ts'
import { tokenEndpoint } from './grants/token-endpoint.ts'
import {
  type AssertedGrants,
  type ClientRemoval,
  endGrantsOf,
  removeClient,
  type UserGrants,
  userGrants,
} from './grants/user-grants.ts'
import { type Endpoint, type EndpointDescription, routesOf } from './http/endpoint.ts'
import type { Route } from './http/http.ts'
import type { Kernel } from './kernel/kernel.ts'
import { familyOf } from './kernel/resource-indicator.ts'
import { unrestricted } from './kernel/scope.ts'
import { storeErrorsAs503 } from './kernel/store.ts'
import { FAILURE_LIMITS } from './limits/rate-limits.ts'
import { openId } from './openid/openid.ts'
import { type AuthorizationServerOptions, kernelOf, requirePublished, underProfile } from './options.ts'
import { resourceMetadata } from './resource/resource-metadata.ts'
import type { AccessTokenFormat } from './tokens/credential.ts'
import { keySet } from './tokens/signing-keys.ts'

/** The authorization server, ready to be mounted: `routes` is all that an adapter needs. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly routes: readonly Route[]
  /** The document at the well-known addresses (RFC 8414 2, OpenID Connect Discovery 3). */
  readonly metadata: Metadata
  /** The mounted endpoints, with the schemas that read their messages: for an OpenAPI document, for example. */
  readonly description: ServerDescription
  /** The format of its access tokens, for `createResourceServer`. */
  readonly accessTokens: AccessTokenFormat
  /** What users decide beside scopes and resources, for `createResourceServer`. Absent without such features. */
  readonly requestTerms: readonly TermClaims[] | undefined
  readonly clients: ClientAdministration
  readonly grants: UserGrants & AssertedGrants
  readonly sessions: UserSessions
}

export interface ServerDescription extends NamedParts {
  readonly endpoints: readonly Endpoint[]
}

/**
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { createMemoryStore } from '@grantkit/store-memory'
 * import { interaction } from './interaction.ts'
 *
 * export const authorization = createAuthorizationServer({
 *   issuer: 'https://auth.example',
 *   store: createMemoryStore(),
 *   scopes: { 'notes:read': { description: 'Read your notes', access: 'read' } },
 *   secret: process.env.SECRET ?? '',
 *   interaction,
 * })
 * ```
 */
export function createAuthorizationServer<Scope extends string>(
  configured: AuthorizationServerOptions<Scope>,
): AuthorizationServer {
  const options = underProfile(configured)
  const store = storeErrorsAs503(options.store)
  // Filled once the features have said what they bring; nothing looks for a client before.
  const sources: ClientSource[] = []
  const { server, mount, complete } = serverContext(kernelOf(options, store, sources), options)
  const features = (options.features ?? []).map((feature) => feature(server))
  const single = singleParts(features)
  const { accessTokens, senderConstraint, clientKeys } = single
  const ending = features.flatMap((feature) => feature.endingSessions?.bind(feature) ?? [])
  const sessions = sessionEnds(server, single.sessions, ending)
  const requestTerms = allTerms(features)
  requireTermsOfFamilies(server.resources, requestTerms?.list)
  mount({ accessTokens, senderConstraint, sessions, clientKeys, requestTerms })
  const optional: readonly FeatureParts[] = [
    ...openId(server, options, senderConstraint?.userinfo),
    ...features,
  ]
  const joined = joinedParts({ ...single, sessions }, [...modules(server, options), ...optional])
  sources.push(...joined.clientSources, storedClients(store.clients, server))
  const { validateRequest, ...pages } = authorization(server, options, joined)
  mount({ validateRequest })
  complete(joined.rateLimits)
  const base: readonly FeatureParts[] = [pages, ...baseFeatures(server, options, joined, features)]
  const clientEndpoints = [...base, ...optional].flatMap((feature) => feature.clientEndpoints ?? [])
  const metadata = metadataOfServer(server, options, joined, { base, optional, clientEndpoints })
  for (const feature of optional) feature.checkMounted?.({ ...joined, metadata, clientEndpoints })
  const endpoints = endpointsIn([...base, ...optional], server, joined)
  const documents = [
    ...metadataDocuments(server.issuer, metadata),
    ...resourceMetadata(server, options, joined),
  ]
  const { grantTypes, clientAuthMethods, rateLimits, errors } = joined
  const ofOperator = registrable(server, options.idTokenAlgorithm, joined, 'operator')
  return {
    issuer: server.issuer,
    routes: routesOf(server, endpoints, documents, senderConstraint?.userinfo.corsHeaders),
    metadata,
    description: { grantTypes, clientAuthMethods, rateLimits, errors, endpoints },
    accessTokens,
    requestTerms: requestTerms?.list,
    clients: clientAdministration(server, ofOperator, options),
    grants: { ...userGrants(server), endOf: (of) => endGrantsOf(server, of) },
    sessions: {
      ended: (ended) => sessions.ended(ended),
      deliver: () => sessions.deliver(),
    },
  }
}

/** Otherwise each member would be for everybody. */
function requireTermsOfFamilies(resources: readonly string[], terms: readonly TermClaims[] = []): void {
  for (const resource of resources) {
    const variable = familyOf(resource)?.variable
    if (variable !== undefined && !terms.some(({ name }) => name === variable))
      throw new Error(`resources: ${resource} needs a feature that decides {${variable}}`)
  }
}

type Options = AuthorizationServerOptions<string>

/** What the modules bring, in the order of the metadata: before OpenID Connect and the features of the options. */
function modules(server: ServerContext, options: Options): FeatureParts[] {
  return [
    authorizationCode(server, server.terms),
    refreshToken(server, options, server.terms),
    standardMethods(server, options),
    { rateLimits: { ...FAILURE_LIMITS, ...REGISTRATION_LIMITS, ...AUTHORIZATION_LIMITS } },
    { errors: options.stepUp && STEP_UP_ERRORS },
    { errors: server.requestTerms?.errors },
  ]
}

/** The endpoints of every server, in the order of the metadata. @param features whose grant types keep to the terms of the server */
function baseFeatures(
  server: ServerContext,
  options: Options,
  joined: Parts,
  features: readonly FeatureParts[],
): FeatureParts[] {
  const { grantTypes, tokenMembers, accessTokens } = joined
  const { limiter, scopes } = server
  const ofFeatures = features.flatMap((feature) => feature.grantTypes ?? [])
  const terms = { grantTypes: ofFeatures, scopes, lifetimes: server.terms }
  const ofClients = registrable(server, options.idTokenAlgorithm, joined, 'client')
  const needsToken = typeof options.registration === 'object' && options.registration.initialAccessToken
  return [
    tokenEndpoint(server, options, { grantTypes, tokenMembers, accessTokens, terms, limiter }),
    registration(server, options, ofClients, needsToken ? admitWithToken(server) : undefined),
    revocation(server, options, accessTokens),
    introspection(server, options, accessTokens),
    keySet(server.keys, options),
  ]
}

/** What the metadata are made of. */
interface Described extends Pick<MountedFeatures, 'clientEndpoints'> {
  readonly base: readonly FeatureParts[]
  readonly optional: readonly FeatureParts[]
}

/** Members of the server metadata (RFC 8414 2). The lists come from what is mounted. */
function metadataOfServer(
  { issuer, scopes }: ServerContext,
  { documentation, profile }: Options,
  { grantTypes, clientAuthMethods, responseModes }: Parts,
  { base, optional, clientEndpoints }: Described,
): Metadata {
  const members = [
    { issuer },
    addressesOf(issuer, base.flatMap(describedIn)),
    {
      // Clients request all that they find here (RFC 8414 2: some may be left out).
      scopes_supported: unrestricted(scopes),
      response_types_supported: [RESPONSE_TYPE],
      response_modes_supported: responseModes?.names ?? [QUERY.name],
      grant_types_supported: grantTypes.map(({ name }) => name),
    },
    authMethodsOf(clientEndpoints, clientAuthMethods),
    ...base.map(({ metadata = {} }) => metadata),
    { client_id_metadata_document_supported: false, service_documentation: documentation },
    ...optional.flatMap((feature) => [addressesOf(issuer, describedIn(feature)), feature.metadata ?? {}]),
  ]
  return requirePublished(profile, serverMetadata(members))
}

function describedIn({ endpoints = [], clientEndpoints = [] }: FeatureParts): EndpointDescription[] {
  return [...endpoints, ...clientEndpoints]
}

function endpointsIn(
  features: readonly FeatureParts[],
  { store, limiter, observer, now }: ServerContext,
  { clientAuthMethods, senderConstraint }: Parts,
): Endpoint[] {
  const readProof = proofReader(clientAuthMethods)
  const context = { readProof, clients: store.clients, limiter, observer, senderConstraint, now }
  return features.flatMap(({ endpoints = [], clientEndpoints = [] }) => [
    ...endpoints,
    ...clientEndpoints.map((definition) => clientEndpoint(definition, context)),
  ])
}

interface ClientAdministration extends InitialAccessTokens {
  /**
   * Registers a static client, which may have fixed https redirect URIs, or those of an entry of `knownClients`. Only this result has the secret.
   *
   * @throws OAuthError that names what is wrong with the metadata
   */
  add(registration: StaticClient | NamedStaticClient): Promise<AddedClient>
  /** The client with this id: a static one, a self-registered one, or one that a document describes. */
  find(clientId: string): Promise<PublicClient | undefined>
  /** The static clients, the oldest first. Reads every client. */
  list(): Promise<PublicClient[]>
  /**
   * Changes a static client, with the rules of `add`; `null` removes a member. Its grants stay. Scopes that it loses end with
   * the next refresh of a grant, and codes that were sent to a redirect URI that it loses cannot be redeemed.
   *
   * @throws OAuthError that names what is wrong, or `conflict` (409) when the client has changed since it was seen
   */
  update(clientId: string, changes: ClientChanges, options: ClientUpdateOptions): Promise<PublicClient>
  /**
   * Gives a client a new secret, which only this result has. The older one stays valid for `overlap`; then at most two are.
   * Grants and tokens stay.
   *
   * @throws OAuthError `conflict` (409) when two secrets are live, or when the client changes at the same time
   */
  rotateSecret(clientId: string, options?: SecretRotationOptions): Promise<RotatedSecret>
  /** Ends the older secret of a client at once. @returns whether it was live @throws OAuthError `conflict` (409) */
  dropOldSecret(clientId: string): Promise<boolean>
  /**
   * Removes a client, and ends its grants with all their tokens. Reads every grant. If it fails halfway, call it again to
   * finish. A client whose document is fetched stays removed.
   */
  remove(clientId: string): Promise<ClientRemoval>
}

/** @param registrable the client metadata that an operator may register */
function clientAdministration(
  kernel: Kernel,
  registrable: Registrable,
  options: StaticClientOptions,
): ClientAdministration {
  const { add, list } = staticClients(kernel, registrable, options)
  return {
    add,
    list,
    async find(clientId) {
      const client = await kernel.store.clients.find(clientId)
      return client && publicClient(client)
    },
    update: clientUpdates(kernel, registrable, options),
    rotateSecret: (clientId, rotation = {}) => rotateSecret(kernel, clientId, rotation),
    dropOldSecret: (clientId) => dropOldSecret(kernel, clientId),
    ...initialAccessTokens(kernel),
    remove: (clientId) => removeClient(kernel, clientId),
  }
}
