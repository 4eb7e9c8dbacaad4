import { type AuthorizationOptions, codeLifetime, grantLifetime } from './authorization/authorization.ts'
import type { AuthorizationRequestSource } from './authorization/authorization-request.ts'
import { authenticationClasses } from './authorization/sign-in.ts'
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
import type { FeatureParts, ServerContext } from './feature.ts'
import { type GrantOptions, grantTerms } from './grants/grant-terms.ts'
import type { GrantType, TokenMembers } from './grants/grant-type.ts'
import type { Endpoint, EndpointDescription } from './http/endpoint.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { ErrorDefinition } from './kernel/oauth-error.ts'
import { acceptedSecrets } from './kernel/secrets.ts'
import { type LimitOptions, limiterOf, type RateLimitWindow } from './limits/rate-limits.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from './tokens/credential.ts'
import type { SenderConstraint } from './tokens/proof-of-possession.ts'
import { type SigningKeyOptions, signingKeys } from './tokens/signing-keys.ts'

/** What at most one feature brings, or what stands in for it. */
interface SingleParts {
  readonly accessTokens: AccessTokenFormat
  readonly senderConstraint: SenderConstraint | undefined
  readonly sessions: SessionObserver
}

/** The parts of several features in one. */
export interface Parts extends SingleParts {
  readonly grantTypes: readonly GrantType[]
  readonly clientAuthMethods: readonly ClientAuthMethod[]
  readonly requestSources: readonly AuthorizationRequestSource[]
  readonly clientSources: readonly ClientSource[]
  readonly tokenMembers: readonly TokenMembers[]
  /** By name. */
  readonly rateLimits: Readonly<Record<string, RateLimitWindow>>
  /** By reason. */
  readonly errors: Readonly<Record<string, ErrorDefinition>>
  /** @throws Error when two features read one member */
  readonly clientMetadata: (registeredBy: RegisteredBy) => ClientMetadataMembers
  readonly checkClient: CheckClient
}

/** @throws Error when two features bring what only one may bring */
export function singleParts(features: readonly FeatureParts[]): SingleParts {
  return {
    accessTokens: onlyOne('accessTokens', features) ?? opaqueAccessTokens,
    senderConstraint: onlyOne('senderConstraint', features),
    sessions: onlyOne('sessions', features) ?? UNOBSERVED,
  }
}

/** @throws Error when two features bring one name */
export function joinedParts(single: SingleParts, features: readonly FeatureParts[]): Parts {
  const clientAuthMethods = eachOnce('clientAuthMethods', features)
  const checkClient: CheckClient = (client) => {
    for (const feature of features) feature.checkClient?.(client)
  }
  return {
    ...single,
    clientAuthMethods,
    grantTypes: eachOnce('grantTypes', features),
    // A feature may be an instance of a class, so its methods are called on it.
    clientSources: features.flatMap(
      (feature) => feature.clientSources?.(clientAuthMethods, checkClient) ?? [],
    ),
    tokenMembers: features.flatMap(({ tokenMembers }) => tokenMembers ?? []),
    requestSources: features.flatMap(({ requestSources }) => requestSources ?? []),
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

function onlyOne<Member extends keyof SingleParts>(
  member: Member,
  features: readonly FeatureParts[],
): FeatureParts[Member] {
  const [only, ...others] = features.flatMap((feature) => feature[member] ?? [])
  if (others.length > 0) throw new Error(`features: two features bring ${member}`)
  return only as FeatureParts[Member]
}

/** The names a client may register. @param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add` */
export function registrable(
  { clientAuthMethods, grantTypes, clientMetadata, checkClient }: Parts,
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

/** What features get of each other. */
type LateMember = 'accessTokens' | 'senderConstraint' | 'sessions' | 'validateRequest'

const late: PropertyDescriptor = {
  get() {
    throw new Error('features: the server is used before all features are created')
  },
}

/** Behind a server that is not complete: it throws for what features that are yet to be created may bring. */
const INCOMPLETE = Object.create(null, {
  accessTokens: late,
  senderConstraint: late,
  sessions: late,
  validateRequest: late,
} satisfies Record<LateMember, PropertyDescriptor>)

/** A server whose features are being created. */
interface ServerInCreation {
  readonly server: ServerContext
  /** Completes the server, before the first request: from then on it is plain data. */
  mount(members: Partial<Pick<ServerContext, LateMember>>): void
  /** Declares the limits of all features, and ends the creation. */
  complete(rateLimits: Parts['rateLimits']): void
}

/**
 * What features get. They are created one after the other, so what they bring to each other comes last.
 *
 * @throws Error that names the option at fault
 */
export function serverContext(kernel: Kernel, options: ContextOptions): ServerInCreation {
  const secret = acceptedSecrets(options.secret)
  const { boundResources, emit, now, random } = kernel
  let declared: Parts['rateLimits'] = {}
  const terms: { -readonly [Term in keyof ServerContext['terms']]: ServerContext['terms'][Term] } = {
    ...{ ...grantTerms(options), grant: grantLifetime(options), code: codeLifetime(options) },
    ...{ longest: undefined, boundResources },
  }
  const purposes = new Set(TICKET_PURPOSES)
  const server: ServerContext = Object.assign(Object.create(INCOMPLETE), {
    ...kernel,
    ...{ secret, terms },
    keys: signingKeys(options.keys ?? [], { now, lifetime: terms.accessToken, emit }),
    interaction: options.interaction,
    authenticationClasses: authenticationClasses(options, kernel.scopes),
    defaultScope: options.defaultScope,
    unknownScopes: options.unknownScopes,
    limiter: limiterOf(options, kernel, () => declared),
    tickets(purpose: string) {
      if (purposes.has(purpose)) throw new Error(`tickets: two features have the purpose ${purpose}`)
      purposes.add(purpose)
      return ticketsFor(purpose, secret, random)
    },
  } satisfies Omit<ServerContext, LateMember>)
  return {
    server,
    mount(members) {
      for (const [name, value] of Object.entries(members))
        Object.defineProperty(server, name, { value, enumerable: true })
      const { accessTokens } = members
      // It may be an instance of a class, so its method is called on it.
      if (accessTokens?.longest) terms.longest = (resources) => accessTokens.longest?.(resources)
    },
    complete(rateLimits) {
      declared = rateLimits
      Object.freeze(server)
    },
  }
}
