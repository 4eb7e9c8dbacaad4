import type { PushedRequests } from './authorization/pushed-requests.ts'
import type { ClientAuthMethod } from './clients/authentication/client-authentication.ts'
import { type ClientEndpoint, type ClientEndpointContext, clientEndpoint } from './clients/client-endpoint.ts'
import type {
  CheckClient,
  ClientMetadataMembers,
  RegisteredBy,
  Registrable,
} from './clients/client-metadata.ts'
import type { ClientSource } from './clients/client-sources.ts'
import { addressesOf, type Metadata } from './discovery/server-metadata.ts'
import type { GrantType } from './grants/grant-type.ts'
import type { TokenMembers } from './grants/token-endpoint.ts'
import type { CorsHeaders, Endpoint, EndpointDescription } from './http/endpoint.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { AccessTokenFormat } from './tokens/access-token.ts'
import type { SenderConstraint } from './tokens/proof-of-possession.ts'

/**
 * A part of the server, as plain data without a life cycle. The lists in the metadata, the error answers and the
 * description come from what is mounted, so each name is written once, here.
 */
export interface FeatureParts {
  /** Pages and documents. */
  readonly endpoints?: readonly Endpoint[] | undefined
  /** Endpoints that authenticate clients; their failures are counted. */
  readonly clientEndpoints?: readonly ClientEndpoint[] | undefined
  /** Members of the server metadata (RFC 8414 2), beside the addresses of the endpoints. */
  readonly metadata?: Metadata | undefined
  readonly grantTypes?: readonly GrantType[] | undefined
  readonly clientAuthMethods?: readonly ClientAuthMethod[] | undefined
  /** @param methods the ways to authenticate that the server offers */
  readonly clientSources?: ((methods: readonly ClientAuthMethod[]) => readonly ClientSource[]) | undefined
  /** At most one feature may set it. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** Where clients leave authorization requests beforehand. At most one feature may set it. */
  readonly pushedRequests?: PushedRequests | undefined
  /** Binds tokens to keys of their clients. At most one feature may set it. Default: who holds a token may use it. */
  readonly senderConstraint?: SenderConstraint | undefined
  /** Whether its own guard refuses tokens that are bound to no key. A server that binds every token wants `true`. */
  readonly requiresProofs?: boolean | undefined
  /** Members of the metadata of every resource (RFC 9728 2). */
  readonly resourceMetadata?: Metadata | undefined
  /** Headers that scripts of other origins may send and read. */
  readonly corsHeaders?: CorsHeaders | undefined
  readonly tokenMembers?: TokenMembers | undefined
  /**
   * Members of client metadata that this feature reads. They are kept in `Client.featureMetadata`, as their schemas made them.
   *
   * @param@param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add`
   */
  readonly clientMetadata?: ((registeredBy: RegisteredBy) => ClientMetadataMembers) | undefined
  /** Refuses a new client whose metadata do not fit together. @throws OAuthError `invalid_client_metadata` */
  readonly checkClient?: CheckClient | undefined
}

/** Creates a feature. It may use its own options and the kernel, and nothing else. */
export type Feature = (kernel: Kernel) => FeatureParts

/** The combined offers of several features. */
export interface Offers {
  readonly grantTypes: readonly GrantType[]
  readonly clientAuthMethods: readonly ClientAuthMethod[]
  readonly clientSources: readonly ClientSource[]
  readonly tokenMembers: readonly TokenMembers[]
  /** @throws Error when two features read one member */
  readonly clientMetadata: (registeredBy: RegisteredBy) => ClientMetadataMembers
  readonly checkClient: CheckClient
}

/** @throws Error when two features offer one name */
export function offersOf(features: readonly FeatureParts[]): Offers {
  const clientAuthMethods = eachOnce(
    'clientAuthMethods',
    features.flatMap(({ clientAuthMethods = [] }) => clientAuthMethods),
  )
  return {
    grantTypes: eachOnce(
      'grantTypes',
      features.flatMap(({ grantTypes = [] }) => grantTypes),
    ),
    clientAuthMethods,
    // A feature may be an instance of a class, so its methods are called on it.
    clientSources: features.flatMap((feature) => feature.clientSources?.(clientAuthMethods) ?? []),
    tokenMembers: features.flatMap(({ tokenMembers }) => tokenMembers ?? []),
    clientMetadata: (registeredBy) =>
      joined(
        'clientMetadata',
        features.map((feature) => feature.clientMetadata?.(registeredBy) ?? {}),
      ),
    checkClient(client) {
      for (const feature of features) feature.checkClient?.(client)
    },
  }
}

/** The members of several features. @throws Error when two have the same */
function joined<Members extends object>(list: string, parts: readonly Members[]): Members {
  eachOnce(
    list,
    parts.flatMap((part) => Object.keys(part)).map((name) => ({ name })),
  )
  return Object.assign({}, ...parts)
}

/** The members of the features for the metadata of every resource. @throws Error when two features set one */
export function resourceMembersOf(features: readonly FeatureParts[]): Metadata {
  return joined(
    'resourceMetadata',
    features.map(({ resourceMetadata = {} }) => resourceMetadata),
  )
}

/** The access token format of the features. @throws Error when two features set one */
export function accessTokensOf(features: readonly FeatureParts[]): AccessTokenFormat | undefined {
  return onlyOne('accessTokens', features)
}

/** The sender constraint of the features. @throws Error when two features set one, or a guard does not keep to it */
export function senderConstraintOf(features: readonly FeatureParts[]): SenderConstraint | undefined {
  const constraint = onlyOne('senderConstraint', features)
  if (constraint?.userinfo.required && features.some(({ requiresProofs }) => requiresProofs === false))
    throw new Error(
      'features: every token is bound to a key, so forwardAuth needs proofs with required: true',
    )
  return constraint
}

/** Where requests are pushed to, if a feature takes them. @throws Error when two features do */
export function pushedRequestsOf(features: readonly FeatureParts[]): PushedRequests | undefined {
  return onlyOne('pushedRequests', features)
}

function onlyOne<Member extends 'accessTokens' | 'pushedRequests' | 'senderConstraint'>(
  member: Member,
  features: readonly FeatureParts[],
): FeatureParts[Member] {
  const [given, ...others] = features.flatMap((feature) => feature[member] ?? [])
  if (others.length > 0) throw new Error(`features: ${member} is given twice`)
  return given as FeatureParts[Member]
}

function eachOnce<Named extends { readonly name: string }>(
  list: string,
  offered: readonly Named[],
): readonly Named[] {
  const names = offered.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`features: ${list} has ${twice} twice`)
  return offered
}

/** The names a client may register. @param@param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add` */
export function registrable(
  { clientAuthMethods, grantTypes, clientMetadata, checkClient }: Offers,
  registeredBy: RegisteredBy,
): Omit<Registrable, 'signingAlgorithms'> {
  const open =
    registeredBy === 'client'
      ? grantTypes.filter(({ selfRegistered }) => selfRegistered === true)
      : grantTypes
  const methods = clientAuthMethods.filter(
    ({ selfRegistered }) => registeredBy === 'operator' || selfRegistered === true,
  )
  return {
    checkClient,
    authMethods: methods.map(({ name }) => name),
    secretMethods: methods.filter(({ usesSecret }) => usesSecret).map(({ name }) => name),
    grantTypes: open.map(({ name }) => name),
    members: clientMetadata(registeredBy),
  }
}

/** The endpoints of a feature, ready to be mounted. */
export function endpointsOf(
  { endpoints = [], clientEndpoints = [] }: FeatureParts,
  context: ClientEndpointContext,
): Endpoint[] {
  return [...endpoints, ...clientEndpoints.map((definition) => clientEndpoint(definition, context))]
}

/** The metadata of a feature: the addresses of its endpoints, then its own members. */
export function metadataOf(feature: FeatureParts, issuer: string): Metadata[] {
  return [addressesOf(issuer, describedIn(feature)), feature.metadata ?? {}]
}

/** All endpoints of a feature, in one list. */
export function describedIn({ endpoints = [], clientEndpoints = [] }: FeatureParts): EndpointDescription[] {
  return [...endpoints, ...clientEndpoints]
}
