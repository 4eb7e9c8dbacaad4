import { type AuthenticationClasses, UNCLASSIFIED } from './authorization/authentication-classes.ts'
import type { AuthorizationRequestSource } from './authorization/request-source.ts'
import { type SessionObserver, UNOBSERVED } from './authorization/user-sessions.ts'
import type { ClientAuthMethod } from './clients/authentication/client-authentication.ts'
import { type ClientEndpointContext, clientEndpoint } from './clients/client-endpoint.ts'
import {
  type CheckClient,
  type ClientMetadataMembers,
  type RegisteredBy,
  type Registrable,
  requireOwnNames,
} from './clients/client-metadata.ts'
import type { ClientSource } from './clients/client-sources.ts'
import { addressesOf, type Metadata } from './discovery/server-metadata.ts'
import type { FeatureParts, MountedFeatures } from './feature.ts'
import type { GrantType, TokenMembers } from './grants/grant-type.ts'
import type { Endpoint, EndpointDescription } from './http/endpoint.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from './tokens/credential.ts'

/** The parts of several features in one. */
export interface JoinedParts extends Omit<MountedFeatures, 'metadata'> {
  readonly clientSources: readonly ClientSource[]
  readonly tokenMembers: readonly TokenMembers[]
  readonly accessTokens: AccessTokenFormat
  readonly requestSource: AuthorizationRequestSource | undefined
  readonly sessions: SessionObserver
  readonly authenticationClasses: AuthenticationClasses
  /** @throws Error when two features read one member */
  readonly clientMetadata: (registeredBy: RegisteredBy) => ClientMetadataMembers
  readonly checkClient: CheckClient
}

/** @throws Error when two features bring one name, or what only one may bring */
export function joinedParts(features: readonly FeatureParts[]): JoinedParts {
  const clientAuthMethods = eachOnce('clientAuthMethods', features)
  const checkClient: CheckClient = (client) => {
    for (const feature of features) feature.checkClient?.(client)
  }
  return {
    clientAuthMethods,
    grantTypes: eachOnce('grantTypes', features),
    // A feature may be an instance of a class, so its methods are called on it.
    clientSources: features.flatMap(
      (feature) => feature.clientSources?.(clientAuthMethods, checkClient) ?? [],
    ),
    tokenMembers: features.flatMap(({ tokenMembers }) => tokenMembers ?? []),
    accessTokens: onlyOne('accessTokens', features) ?? opaqueAccessTokens,
    requestSource: onlyOne('requestSource', features),
    senderConstraint: onlyOne('senderConstraint', features),
    sessions: onlyOne('sessions', features) ?? UNOBSERVED,
    authenticationClasses: onlyOne('authenticationClasses', features) ?? UNCLASSIFIED,
    rateLimits: merged(
      'rateLimits',
      features.map(({ rateLimits = {} }) => rateLimits),
    ),
    errors: merged(
      'errors',
      features.map(({ errors = {} }) => errors),
    ),
    clientMetadata: (registeredBy) =>
      merged(
        'clientMetadata',
        features.map((feature) => feature.clientMetadata?.(registeredBy) ?? {}),
      ),
    checkClient,
  }
}

function merged<Members extends object>(list: string, parts: readonly Members[]): Members {
  requireDistinct(
    list,
    parts.flatMap((part) => Object.keys(part)),
  )
  return Object.assign({}, ...parts)
}

function eachOnce<List extends 'clientAuthMethods' | 'grantTypes'>(
  list: List,
  features: readonly FeatureParts[],
): readonly { clientAuthMethods: ClientAuthMethod; grantTypes: GrantType }[List][] {
  const offered = features.flatMap((feature) => [...(feature[list] ?? [])])
  requireDistinct(
    list,
    offered.map(({ name }) => name),
  )
  return offered as { clientAuthMethods: ClientAuthMethod; grantTypes: GrantType }[List][]
}

function requireDistinct(list: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`features: ${list} has ${twice} twice`)
}

/** What at most one feature may bring. */
type Single = 'accessTokens' | 'requestSource' | 'senderConstraint' | 'sessions' | 'authenticationClasses'

export function onlyOne<Member extends Single>(
  member: Member,
  features: readonly FeatureParts[],
): FeatureParts[Member] {
  const [only, ...others] = features.flatMap((feature) => feature[member] ?? [])
  if (others.length > 0) throw new Error(`features: two features bring ${member}`)
  return only as FeatureParts[Member]
}

/** The names a client may register. @param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add` */
export function registrable(
  { clientAuthMethods, grantTypes, clientMetadata, checkClient }: JoinedParts,
  registeredBy: RegisteredBy,
): Omit<Registrable, 'signingAlgorithms'> {
  const open =
    registeredBy === 'client'
      ? grantTypes.filter(({ selfRegistered }) => selfRegistered === true)
      : grantTypes
  const methods = clientAuthMethods.filter(
    ({ selfRegistered }) => registeredBy === 'operator' || selfRegistered === true,
  )
  const members = clientMetadata(registeredBy)
  requireOwnNames(members)
  return {
    checkClient,
    authMethods: methods.map(({ name }) => name),
    secretMethods: methods.filter(({ usesSecret }) => usesSecret).map(({ name }) => name),
    grantTypes: open.map(({ name }) => name),
    members,
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
