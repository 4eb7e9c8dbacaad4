import { authorization } from './authorization/authorization.ts'
import { AUTHORIZATION_LIMITS } from './authorization/authorization-context.ts'
import { RESPONSE_MODE, RESPONSE_TYPE } from './authorization/authorization-request.ts'
import { sessionEnds, type UserSessions } from './authorization/user-sessions.ts'
import { type ClientAdministration, clientAdministration } from './client-administration.ts'
import { proofReader } from './clients/authentication/client-authentication.ts'
import { standardMethods } from './clients/authentication/standard-methods.ts'
import { authMethodsOf } from './clients/client-endpoint.ts'
import type { Registrable } from './clients/client-metadata.ts'
import { type ClientSource, storedClients } from './clients/client-sources.ts'
import { REGISTRATION_LIMITS, registration } from './clients/registration.ts'
import { addressesOf, type Metadata, metadataDocuments, serverMetadata } from './discovery/server-metadata.ts'
import type { FeatureParts, MountedFeatures, ServerContext } from './feature.ts'
import { type AssertedGrants, endGrantsOf } from './grants/asserted-grants.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import type { IssuedTerms } from './grants/grant-type.ts'
import { introspection } from './grants/introspection.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { revocation } from './grants/revocation.ts'
import { tokenEndpoint } from './grants/token-endpoint.ts'
import { type UserGrants, userGrants } from './grants/user-grants.ts'
import { type Endpoint, routesOf } from './http/endpoint.ts'
import type { Route } from './http/http.ts'
import { unrestricted } from './kernel/scope.ts'
import { storeErrorsAs503 } from './kernel/store.ts'
import { FAILURE_LIMITS } from './limits/rate-limits.ts'
import {
  describedIn,
  endpointsOf,
  type JoinedParts,
  joinedParts,
  metadataOf,
  onlyOne,
  registrable,
} from './mounted-features.ts'
import { openId } from './openid/openid.ts'
import { type AuthorizationServerOptions, kernelOf } from './options.ts'
import { requirePublished, underProfile } from './profile.ts'
import { resourceMetadata } from './resource/resource-metadata.ts'
import { serverContext } from './server-context.ts'
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
  readonly clients: ClientAdministration
  readonly grants: UserGrants & AssertedGrants
  readonly sessions: UserSessions
}

export interface ServerDescription
  extends Pick<MountedFeatures, 'grantTypes' | 'clientAuthMethods' | 'rateLimits' | 'errors'> {
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
  const sources: ClientSource[] = []
  const { server, mount } = serverContext(kernelOf(options, store, sources), options)
  const parts = partsOf(server, options)
  const { joined, optional } = parts
  const { rateLimits, senderConstraint, accessTokens, authenticationClasses } = joined
  const sessions = sessionEnds(server, joined.sessions)
  sources.push(...joined.clientSources, storedClients(store.clients, server))
  const { validateRequest, ...pages } = authorization(server, options, { ...joined, sessions })
  mount({ validateRequest, rateLimits, senderConstraint, accessTokens, sessions, authenticationClasses })
  const base = [pages, ...baseFeatures(server, options, parts)]
  const metadata = metadataOfServer(server, options, parts, base)
  for (const feature of optional) feature.checkMounted?.({ ...joined, metadata })
  const endpoints = endpointsIn([...base, ...optional], server, joined)
  const documents = [
    ...metadataDocuments(server.issuer, metadata),
    ...resourceMetadata(server, options, senderConstraint),
  ]
  const { grantTypes, clientAuthMethods, errors } = joined
  return {
    issuer: server.issuer,
    routes: routesOf(server, endpoints, documents, senderConstraint?.userinfo.corsHeaders),
    metadata,
    description: { grantTypes, clientAuthMethods, rateLimits, errors, endpoints },
    accessTokens,
    clients: clientAdministration(server, { ...registrable(joined, 'operator'), ...parts.signing }, options),
    grants: { ...userGrants(server), endOf: (of) => endGrantsOf(server, of) },
    sessions: {
      ended: (ended) => sessions.ended(ended),
      deliver: () => sessions.deliver(),
    },
  }
}

/** What the server is made of, next to the options. */
interface Parts {
  readonly signing: Pick<Registrable, 'signingAlgorithms' | 'idTokenAlgorithm'>
  /** OpenID Connect (if the catalogue has its scope), and the features of the options. */
  readonly optional: readonly FeatureParts[]
  readonly joined: JoinedParts
  readonly terms: IssuedTerms
}

function partsOf(server: ServerContext, options: AuthorizationServerOptions<string>): Parts {
  const { keys, terms, scopes, now } = server
  const features = (options.features ?? []).map((feature) => feature(server))
  const optional = [...openId(server, options, onlyOne('senderConstraint', features)?.userinfo), ...features]
  const joined = joinedParts([
    authorizationCode(server, terms),
    refreshToken(server, options, terms),
    standardMethods(server, options),
    { rateLimits: { ...FAILURE_LIMITS, ...REGISTRATION_LIMITS, ...AUTHORIZATION_LIMITS } },
    ...optional,
  ])
  const grantTypes = features.flatMap(({ grantTypes = [] }) => grantTypes)
  return {
    ...{ optional, joined },
    signing: { signingAlgorithms: keys.algorithms, idTokenAlgorithm: options.idTokenAlgorithm },
    terms: { grantTypes, scopes, lifetimes: terms, now },
  }
}

/** The features of every server, in the order of the metadata. */
function baseFeatures(
  server: ServerContext,
  options: AuthorizationServerOptions<string>,
  { signing, joined, terms }: Parts,
): FeatureParts[] {
  const { grantTypes, tokenMembers, accessTokens } = joined
  const { limiter } = server
  return [
    tokenEndpoint(server, options, { grantTypes, tokenMembers, accessTokens, terms, limiter }),
    registration(server, options, { ...registrable(joined, 'client'), ...signing }),
    revocation(server, options, accessTokens),
    introspection(server, options, accessTokens),
    keySet(server.keys, options),
  ]
}

/** Members of the server metadata (RFC 8414 2). The lists come from what is mounted. */
function metadataOfServer(
  { issuer, scopes }: ServerContext,
  { documentation, profile }: AuthorizationServerOptions<string>,
  { joined: { grantTypes, clientAuthMethods }, optional }: Parts,
  base: readonly FeatureParts[],
): Metadata {
  const clientEndpoints = [...base, ...optional].flatMap((feature) => feature.clientEndpoints ?? [])
  const members = [
    { issuer },
    addressesOf(issuer, base.flatMap(describedIn)),
    {
      // Clients request all that they find here (RFC 8414 2: some may be left out).
      scopes_supported: unrestricted(scopes),
      response_types_supported: [RESPONSE_TYPE],
      response_modes_supported: [RESPONSE_MODE],
      grant_types_supported: grantTypes.map(({ name }) => name),
    },
    authMethodsOf(clientEndpoints, clientAuthMethods),
    ...base.map(({ metadata = {} }) => metadata),
    { client_id_metadata_document_supported: false, service_documentation: documentation },
    ...optional.flatMap((feature) => metadataOf(feature, issuer)),
  ]
  return requirePublished(profile, serverMetadata(members))
}

function endpointsIn(
  features: readonly FeatureParts[],
  { store, limiter, attempts }: ServerContext,
  { clientAuthMethods, senderConstraint }: JoinedParts,
): Endpoint[] {
  const readProof = proofReader(clientAuthMethods)
  const context = { readProof, clients: store.clients, limiter, attempts, senderConstraint }
  return features.flatMap((feature) => endpointsOf(feature, context))
}
