import { authorization, grantLifetime } from './authorization/authorization.ts'
import { RESPONSE_MODE, RESPONSE_TYPE } from './authorization/authorization-request.ts'
import { proofReader } from './clients/authentication/client-authentication.ts'
import { offeredMethods } from './clients/authentication/offered-methods.ts'
import { authMethodsOf } from './clients/client-endpoint.ts'
import type { Registrable } from './clients/client-metadata.ts'
import { type ClientSource, storedClients } from './clients/client-sources.ts'
import {
  type Integration,
  type IntegrationInformation,
  preRegisteredClients,
} from './clients/pre-registered-clients.ts'
import { type PublicClient, publicClient } from './clients/public-client.ts'
import { redirectUriPolicyOf } from './clients/redirect-uri.ts'
import { registration } from './clients/registration.ts'
import { addressesOf, type Metadata, metadataDocuments, serverMetadata } from './discovery/server-metadata.ts'
import {
  accessTokensOf,
  describedIn,
  endpointsOf,
  type FeatureParts,
  metadataOf,
  type Offers,
  offersOf,
  pushedRequestsOf,
  registrable,
  resourceMembersOf,
  senderConstraintOf,
} from './feature.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import { type ClientRemoval, removeClient } from './grants/client-removal.ts'
import { grantTerms } from './grants/grant-terms.ts'
import type { IssuedTerms } from './grants/grant-type.ts'
import { introspection } from './grants/introspection.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { revocation } from './grants/revocation.ts'
import { tokenEndpoint } from './grants/token-endpoint.ts'
import { type UserGrants, userGrants } from './grants/user-grants.ts'
import { type Endpoint, routesOf } from './http/endpoint.ts'
import type { Route } from './http/http.ts'
import { basePathOf } from './http/well-known.ts'
import type { Kernel } from './kernel/kernel.ts'
import { storeErrorsAs503 } from './kernel/store.ts'
import { type RateLimits, rateLimits } from './limits/rate-limits.ts'
import { openId } from './openid/openid.ts'
import { type AuthorizationServerOptions, kernelOf } from './options.ts'
import { requirePublished, underProfile } from './profile.ts'
import { resourceMetadata } from './resource/resource-metadata.ts'
import { type AccessTokenFormat, longestOf, opaqueAccessTokens } from './tokens/access-token.ts'
import type { SenderConstraint } from './tokens/proof-of-possession.ts'
import { keySet, type SigningKeys, signingKeys } from './tokens/signing-keys.ts'

/** The authorization server, ready to be mounted: `routes` is all that an adapter needs. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly routes: readonly Route[]
  /** The document at the well-known addresses (RFC 8414 2, OpenID Connect Discovery 3). */
  readonly metadata: Metadata
  /** The mounted endpoints, with the schemas that read their messages: for an OpenAPI document, for example. */
  readonly description: ServerDescription
  readonly clients: {
    /**
     * Adds an integration: a client with fixed redirect URIs, which cannot register itself.
     *
     * @throws OAuthError that names what is wrong with the metadata
     */
    add(integration: Integration): Promise<IntegrationInformation>
    /** The client with this id, whether it registered itself, is an integration, or is described by a document. */
    find(clientId: string): Promise<PublicClient | undefined>
    /** The integrations, the oldest first, without their secrets. Looks at every client. */
    list(): Promise<IntegrationInformation[]>
    /**
     * Removes a client, an integration or one that registered itself, and ends its grants with all their tokens. Reads
     * every grant. If it fails halfway, call it again to finish. A client whose document is fetched stays refused.
     */
    remove(clientId: string): Promise<ClientRemoval>
  }
  readonly grants: UserGrants
}

export interface ServerDescription extends Pick<Offers, 'grantTypes' | 'clientAuthMethods'> {
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
 *   scopes: { 'notes:read': { description: 'Read your notes' } },
 *   secret: process.env.SECRET ?? '',
 *   interaction,
 * })
 * ```
 */
export function createAuthorizationServer<Scope extends string>(
  given: AuthorizationServerOptions<Scope>,
): AuthorizationServer {
  const options = underProfile(given)
  const store = storeErrorsAs503(options.store)
  const sources: ClientSource[] = []
  const kernel = kernelOf(options, store, sources)
  const { issuer } = kernel
  const parts = partsOf(kernel, options)
  const { offers, optional } = parts
  sources.push(...offers.clientSources, storedClients(store.clients))
  const base = baseFeatures(kernel, options, parts)
  const readProof = proofReader(offers.clientAuthMethods)
  const { limits, senderConstraint } = parts
  const context = { readProof, clients: kernel.store.clients, limits, senderConstraint }
  const endpoints = [...base, ...optional].flatMap((feature) => endpointsOf(feature, context))
  const members = [
    ...baseMetadata(kernel, options, parts, base),
    ...optional.flatMap((feature) => metadataOf(feature, issuer)),
  ]
  const metadata = requirePublished(options.profile, serverMetadata(members))
  checkDocumentsCanPush(offers, metadata)
  const added = { members: resourceMembersOf(optional), bindsTokens: senderConstraint !== undefined }
  const documents = [...metadataDocuments(issuer, metadata), ...resourceMetadata(kernel, options, added)]
  return {
    issuer,
    routes: routesOf(basePathOf(issuer), endpoints, documents, kernel.emit, optional),
    metadata,
    description: { ...offers, endpoints },
    ...administration(kernel, options, parts),
  }
}

/** A client whose document is not known yet proves nothing by a push, so it must be one that may be public. */
function checkDocumentsCanPush({ clientSources, clientAuthMethods }: Offers, metadata: Metadata): void {
  const fetches = clientSources.some(({ describedBy }) => describedBy !== undefined)
  const publicClients = clientAuthMethods.some(({ name }) => name === 'none')
  if (fetches && !publicClients && metadata.require_pushed_authorization_requests === true)
    throw new Error(
      'clientDocuments: fetch and pushedAuthorizationRequests: required exclude each other without the authentication method none; pin the documents',
    )
}

/** The parts of the base, and what is mounted beside it. */
interface Parts {
  readonly keys: SigningKeys
  readonly signing: Pick<Registrable, 'signingAlgorithms' | 'idTokenAlgorithm'>
  readonly accessTokens: AccessTokenFormat
  readonly limits: RateLimits
  readonly senderConstraint: SenderConstraint | undefined
  /** OpenID Connect (if the catalogue has its scope), and the features of the options. */
  readonly optional: readonly FeatureParts[]
  readonly offers: Offers
  readonly terms: IssuedTerms
}

function partsOf(kernel: Kernel, options: AuthorizationServerOptions<string>): Parts {
  const { now, emit, boundResources } = kernel
  const features = (options.features ?? []).map((feature) => feature(kernel))
  const accessTokens: AccessTokenFormat = accessTokensOf(features) ?? opaqueAccessTokens
  const times = { ...grantTerms(options), longest: longestOf(accessTokens), boundResources }
  const lifetime = times.accessToken
  const keys = signingKeys(options.keys ?? [], { now, lifetime, emit })
  const signing = { signingAlgorithms: keys.algorithms, idTokenAlgorithm: options.idTokenAlgorithm }
  const senderConstraint = senderConstraintOf(features)
  const openIdContext = { keys, accessTokens, lifetime, proofs: senderConstraint?.userinfo }
  const optional = [...openId(kernel, options, openIdContext), ...features]
  const offers = offersOf([
    authorizationCode(kernel, times),
    refreshToken(kernel, options, times),
    offeredMethods(options),
    ...optional,
  ])
  const limits = rateLimits(options, kernel)
  const terms = {
    grantTypes: features.flatMap(({ grantTypes = [] }) => grantTypes),
    ...{ scopes: kernel.scopes, lifetimes: { ...times, grant: grantLifetime(options) }, now },
  }
  return { keys, signing, accessTokens, limits, senderConstraint, optional, offers, terms }
}

/** The features of every server, in the order of the metadata. */
function baseFeatures(
  kernel: Kernel,
  options: AuthorizationServerOptions<string>,
  { keys, signing, accessTokens, limits, senderConstraint, optional, offers, terms }: Parts,
): FeatureParts[] {
  const pushed = pushedRequestsOf(optional)
  return [
    authorization(kernel, options, { keys, limits, pushed, senderConstraint }),
    tokenEndpoint(kernel, options, { ...offers, accessTokens, terms }),
    registration(kernel, options, { ...registrable(offers, 'client'), ...signing, limits }),
    revocation(kernel, options, accessTokens),
    introspection(kernel, options, accessTokens),
    keySet(keys, options),
  ]
}

/** Members of the base (RFC 8414 2). The lists come from what is mounted. */
function baseMetadata(
  { issuer, scopes }: Kernel,
  { documentation }: AuthorizationServerOptions<string>,
  { offers: { grantTypes, clientAuthMethods }, optional }: Parts,
  base: readonly FeatureParts[],
): Metadata[] {
  const clientEndpoints = [...base, ...optional].flatMap((feature) => feature.clientEndpoints ?? [])
  return [
    { issuer },
    addressesOf(issuer, base.flatMap(describedIn)),
    {
      scopes_supported: Object.keys(scopes),
      response_types_supported: [RESPONSE_TYPE],
      response_modes_supported: [RESPONSE_MODE],
      grant_types_supported: grantTypes.map(({ name }) => name),
    },
    authMethodsOf(clientEndpoints, clientAuthMethods),
    ...base.map(({ metadata = {} }) => metadata),
    { client_id_metadata_document_supported: false, service_documentation: documentation },
  ]
}

function administration(
  kernel: Kernel,
  options: AuthorizationServerOptions<string>,
  { offers, signing }: Parts,
): Pick<AuthorizationServer, 'clients' | 'grants'> {
  const registered = { ...registrable(offers, 'operator'), ...signing }
  const { add, list } = preRegisteredClients(kernel, registered, redirectUriPolicyOf(options))
  return {
    clients: {
      add,
      list,
      find: async (clientId) => {
        const client = await kernel.store.clients.find(clientId)
        return client && publicClient(client)
      },
      remove: (clientId) => removeClient(kernel, clientId),
    },
    grants: userGrants(kernel),
  }
}
