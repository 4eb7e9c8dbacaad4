import { authenticationClasses } from './authorization/authentication-classes.ts'
import { type AuthorizationOptions, codeLifetime, grantLifetime } from './authorization/authorization.ts'
import type { AuthorizationRequestSource, ValidateRequest } from './authorization/request-source.ts'
import { TICKET_PURPOSES, ticketsFor } from './authorization/ticket.ts'
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
import type { FeatureParts, MountedFeatures, ServerContext } from './feature.ts'
import { type GrantOptions, grantTerms } from './grants/grant-terms.ts'
import type { GrantType, TokenMembers } from './grants/grant-type.ts'
import type { Endpoint, EndpointDescription } from './http/endpoint.ts'
import type { Kernel } from './kernel/kernel.ts'
import { acceptedSecrets } from './kernel/server-secret.ts'
import { type LimitOptions, limiterOf } from './limits/rate-limits.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from './tokens/credential.ts'
import { type SigningKeyOptions, signingKeys } from './tokens/signing-keys.ts'

/** The parts of several features in one. */
export interface JoinedParts extends Omit<MountedFeatures, 'metadata'> {
  readonly clientSources: readonly ClientSource[]
  readonly tokenMembers: readonly TokenMembers[]
  readonly accessTokens: AccessTokenFormat
  readonly requestSources: readonly AuthorizationRequestSource[]
  readonly sessions: SessionObserver
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
    requestSources: features.flatMap(({ requestSources }) => requestSources ?? []),
    senderConstraint: onlyOne('senderConstraint', features),
    sessions: onlyOne('sessions', features) ?? UNOBSERVED,
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
type Single = 'accessTokens' | 'senderConstraint' | 'sessions'

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

type ContextOptions = AuthorizationOptions & GrantOptions & LimitOptions & SigningKeyOptions

/** Members that exist once all features are created. */
export interface Mounted extends Pick<MountedFeatures, 'senderConstraint' | 'rateLimits'> {
  readonly accessTokens: AccessTokenFormat
  readonly sessions: SessionObserver
  readonly validateRequest: ValidateRequest
}

/**
 * What features get. They are created one after the other, so what they bring to each other is looked up when a request
 * arrives.
 *
 * @returns the context, and a function that ends the creation of features
 * @throws Error that names the option at fault
 */
export function serverContext(
  kernel: Kernel,
  options: ContextOptions,
): { readonly server: ServerContext; readonly mount: (all: Mounted) => void } {
  let all: Mounted | undefined
  function mounted(): Mounted {
    if (all === undefined) throw new Error('features: the server is used before all features are created')
    return all
  }
  const secret = acceptedSecrets(options.secret)
  const accessTokens = formatOf(() => mounted().accessTokens)
  const { boundResources, emit, now, random } = kernel
  const terms = {
    ...{ ...grantTerms(options), grant: grantLifetime(options), code: codeLifetime(options) },
    ...{ longest: accessTokens.longest, boundResources },
  }
  const purposes = new Set(TICKET_PURPOSES)
  const server: ServerContext = {
    ...kernel,
    ...{ secret, accessTokens, terms },
    keys: signingKeys(options.keys ?? [], { now, lifetime: terms.accessToken, emit }),
    interaction: options.interaction,
    authenticationClasses: authenticationClasses(options, kernel.scopes),
    defaultScope: options.defaultScope,
    unknownScopes: options.unknownScopes,
    limiter: limiterOf(options, kernel, () => mounted().rateLimits),
    get senderConstraint() {
      return mounted().senderConstraint
    },
    get sessions() {
      return mounted().sessions
    },
    validateRequest: (...request) => mounted().validateRequest(...request),
    tickets(purpose) {
      if (purposes.has(purpose)) throw new Error(`tickets: two features have the purpose ${purpose}`)
      purposes.add(purpose)
      return ticketsFor(purpose, secret, random)
    },
  }
  const mount = (parts: Mounted) => {
    all = parts
  }
  return { server, mount }
}

/** It may be an instance of a class, so its methods are called on it. */
function formatOf(mounted: () => AccessTokenFormat): Required<AccessTokenFormat> {
  return {
    write: (token, grant, claims) => mounted().write(token, grant, claims),
    read: (text) => mounted().read(text),
    grantIdOf: (text) => mounted().grantIdOf(text),
    longest: (resources) => mounted().longest?.(resources),
  }
}
