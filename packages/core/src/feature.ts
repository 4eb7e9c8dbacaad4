/**
 * The feature API: what a feature gets from the server, and what it brings. Every feature of this package is written with
 * it, and an application writes its own in the same way.
 */

import { type AuthorizationOptions, codeLifetime, grantLifetime } from './authorization/authorization.ts'
import type { ValidateRequest } from './authorization/authorization-request.ts'
import type { Interaction } from './authorization/interaction.ts'
import type { RequestSources } from './authorization/presented-request.ts'
import type { ResponseModes } from './authorization/response-mode.ts'
import { type AuthenticationClasses, authenticationClasses } from './authorization/sign-in.ts'
import { TICKET_PURPOSES, type Tickets, ticketsFor } from './authorization/ticket.ts'
import { type EndedSessions, type SessionObserver, UNOBSERVED } from './authorization/user-sessions.ts'
import type { ClientAuthMethod } from './clients/authentication/client-authentication.ts'
import type { ClientEndpoint } from './clients/client-endpoint.ts'
import {
  type CheckClient,
  type ClientMetadataMembers,
  type RegisteredBy,
  type Registrable,
  requireOwnNames,
} from './clients/client-metadata.ts'
import type { ClientSource } from './clients/client-record.ts'
import type { Metadata } from './discovery/server-metadata.ts'
import { type GrantOptions, type GrantTerms, grantTerms } from './grants/grant-terms.ts'
import type { GrantType, TokenMembers } from './grants/grant-type.ts'
import type { RequestTerms } from './grants/request-terms.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { ErrorDefinition } from './kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from './kernel/records.ts'
import { type AcceptedSecrets, acceptedSecrets } from './kernel/secrets.ts'
import { type Limiter, type LimitOptions, limiterOf, type RateLimitWindow } from './limits/rate-limits.ts'
import type { VerificationKeys } from './tokens/compact-jws.ts'
import { type AccessTokenFormat, opaqueAccessTokens } from './tokens/credential.ts'
import type { SenderConstraint } from './tokens/proof-of-possession.ts'
import { type SigningKeyOptions, type SigningKeys, signingKeys } from './tokens/signing-keys.ts'

/**
 * The server, as its features see it. What features bring themselves (`senderConstraint`, the rules behind `accessTokens`
 * and `validateRequest`) is known once all of them are created: use it when a request arrives.
 */
export interface ServerContext extends Kernel {
  /** The accepted secrets; the first one makes what is new. */
  readonly secret: AcceptedSecrets
  /** The signing keys. Without the option `keys` there is none. */
  readonly keys: SigningKeys
  /** The session of a browser, the sign-in page and the error page. */
  readonly interaction: Interaction
  /** The scope of an authorization request without `scope`, if the option is set. */
  readonly defaultScope: string | undefined
  readonly unknownScopes: 'refuse' | 'ignore' | undefined
  /** How long tokens and grants live, in seconds, and how many tokens a grant has. */
  readonly terms: GrantTerms & { readonly grant: number; readonly code: number }
  /** Counts events by the names in `FeatureParts.rateLimits`. */
  readonly limiter: Limiter
  /** The format that the server issues: opaque tokens, or the one that a feature brings. */
  readonly accessTokens: AccessTokenFormat
  /** Binds tokens to keys, if a feature does. @throws Error before all features are created */
  readonly senderConstraint: SenderConstraint | undefined
  /** What users decide beside scopes and resources. Absent without a feature that brings such terms. */
  readonly requestTerms: RequestTerms | undefined
  /** What a feature does about sessions; nothing without one. */
  readonly sessions: SessionObserver
  /** The public keys that a client registered; `undefined` if no feature reads any. */
  readonly clientKeys: ClientKeys | undefined
  /** The classes of sign-ins; none without the option `stepUp`. */
  readonly authenticationClasses: AuthenticationClasses
  /** Validates the parameters of an authorization request (RFC 6749 4.1.1). */
  readonly validateRequest: ValidateRequest
  /**
   * Tickets for the forms of a feature: each is good for one session, one query and one purpose.
   *
   * @throws Error when another feature has this purpose
   */
  tickets(purpose: string): Tickets
}

/** The public keys of a client, which may be fetched. */
type ClientKeys = (client: Client) => VerificationKeys['keys']

/**
 * What a feature brings, as plain data without a life cycle, or as an instance of a class. The lists in the metadata, the
 * error answers and the description come from what is mounted, so each name is written once.
 */
export interface FeatureParts {
  /** Pages and documents. */
  readonly endpoints?: readonly Endpoint[] | undefined
  /** Endpoints that authenticate clients; their failures are counted. */
  readonly clientEndpoints?: readonly ClientEndpoint[] | undefined
  /** Members of the server metadata (RFC 8414 2), next to the addresses of the endpoints. */
  readonly metadata?: Metadata | undefined
  /** Members of the metadata of every resource (RFC 9728 2). */
  readonly resourceMetadata?: Metadata | undefined
  readonly grantTypes?: readonly GrantType[] | undefined
  readonly clientAuthMethods?: readonly ClientAuthMethod[] | undefined
  /**
   * @param methods the authentication methods that the server offers
   * @param checkClient of all features: a source asks it about each client that it makes
   */
  readonly clientSources?:
    | ((methods: readonly ClientAuthMethod[], checkClient: CheckClient) => readonly ClientSource[])
    | undefined
  /** At most one feature may set it. Default: opaque tokens. */
  readonly accessTokens?: AccessTokenFormat | undefined
  /** Open the authorization requests that come as one parameter. The first that knows its value is used. */
  readonly requestSources?: RequestSources | undefined
  /** How answers to authorization requests reach their clients, next to `query`, by `ResponseModes`. */
  readonly responseModes?: ResponseModes | undefined
  /** Binds tokens to keys of their clients. At most one feature may set it. Default: bearer tokens. */
  readonly senderConstraint?: SenderConstraint | undefined
  /** Names sessions to clients, and hears of their end. At most one feature may set it. */
  readonly sessions?: SessionObserver | undefined
  /** Reads the keys that clients register, for every feature. At most one feature may set it. */
  readonly clientKeys?: ClientKeys | undefined
  /** What requests ask for and users decide beside scopes and resources, by `RequestTerms`. */
  readonly requestTerms?: RequestTerms | undefined
  /**
   * Ends what this feature keeps of a user, before their sessions end.
   *
   * @throws OAuthError `temporarily_unavailable` if that fails: then the sessions stay, and it is called again
   */
  readonly endingSessions?: ((sessions: EndedSessions) => Promise<void>) | undefined
  readonly tokenMembers?: TokenMembers | undefined
  /**
   * Members of client metadata that this feature reads. They are kept in `Client.featureMetadata`, as their schemas made
   * them; declare them in the interface `FeatureMetadata` by declaration merging.
   *
   * @param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add`
   */
  readonly clientMetadata?: ((registeredBy: RegisteredBy) => ClientMetadataMembers) | undefined
  /**
   * Refuses a client that registers itself, that the operator adds or changes, or that a metadata document describes.
   *
   * @throws OAuthError `invalid_client_metadata`
   */
  readonly checkClient?: CheckClient | undefined
  /** The events that `ServerContext.limiter` counts for this feature, each with the limit where the application sets none. */
  readonly rateLimits?: Readonly<Record<string, RateLimitWindow>> | undefined
  /** Its error definitions, for the description of the server. */
  readonly errors?: Readonly<Record<string, ErrorDefinition>> | undefined
  /** Looks at everything that is mounted. @throws Error that names both features that cannot work together */
  readonly checkMounted?: ((mounted: MountedFeatures) => void) | undefined
}

/** Creates a feature for a server. @throws Error that names the option at fault */
export type Feature = (server: ServerContext) => FeatureParts

/** What the mounted features bring under a name of its own. */
export interface NamedParts {
  readonly grantTypes: readonly GrantType[]
  readonly clientAuthMethods: readonly ClientAuthMethod[]
  /** By name. */
  readonly rateLimits: Readonly<Record<string, RateLimitWindow>>
  /** By reason. */
  readonly errors: Readonly<Record<string, ErrorDefinition>>
}

export interface MountedFeatures extends NamedParts {
  readonly metadata: Metadata
  readonly clientEndpoints: readonly ClientEndpoint[]
  readonly senderConstraint: SenderConstraint | undefined
  readonly clientKeys: ClientKeys | undefined
}

// How the server joins what its features bring, and what they get of each other.

/** What at most one feature brings, or what stands in for it. */
interface SingleParts {
  readonly accessTokens: AccessTokenFormat
  readonly senderConstraint: SenderConstraint | undefined
  readonly sessions: SessionObserver
  readonly clientKeys: ClientKeys | undefined
}

/** The parts of several features in one. */
export interface Parts extends SingleParts, NamedParts {
  readonly requestSources: RequestSources | undefined
  /** Absent: `query` alone. */
  readonly responseModes: ResponseModes | undefined
  readonly clientSources: readonly ClientSource[]
  readonly tokenMembers: readonly TokenMembers[]
  readonly resourceMetadata: Metadata
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
    clientKeys: onlyOne('clientKeys', features),
  }
}

/** @throws Error when two features bring one name */
export function allTerms(features: readonly FeatureParts[]): RequestTerms | undefined {
  const terms = inOne(features.flatMap((feature) => feature.requestTerms ?? []))
  requireDistinct('requestTerms', terms?.list.map(nameOf) ?? [])
  return terms
}

/** What several features bring, and join themselves; `undefined` for none. */
function inOne<Part extends { and(others: Part): Part }>([first, ...others]: readonly Part[]) {
  return others.reduce((all, more) => all?.and(more), first)
}

/** @throws Error when two features bring one name */
export function joinedParts(single: SingleParts, features: readonly FeatureParts[]): Parts {
  const clientAuthMethods = features.flatMap((feature) => feature.clientAuthMethods ?? [])
  const grantTypes = features.flatMap((feature) => feature.grantTypes ?? [])
  requireDistinct('clientAuthMethods', clientAuthMethods.map(nameOf))
  requireDistinct('grantTypes', grantTypes.map(nameOf))
  const responseModes = inOne(features.flatMap((feature) => feature.responseModes ?? []))
  requireDistinct('responseModes', responseModes?.names ?? [])
  // A feature may be an instance of a class, so its methods are called on it.
  const checkClient: CheckClient = (client) => {
    for (const feature of features) feature.checkClient?.(client)
  }
  const sourcesOf = (feature: FeatureParts) => feature.clientSources?.(clientAuthMethods, checkClient) ?? []
  return {
    ...single,
    clientAuthMethods,
    grantTypes,
    responseModes,
    clientSources: features.flatMap(sourcesOf),
    tokenMembers: features.flatMap((feature) => feature.tokenMembers ?? []),
    requestSources: inOne(features.flatMap((feature) => feature.requestSources ?? [])),
    rateLimits: merged('rateLimits', features, (feature) => feature.rateLimits),
    errors: merged('errors', features, (feature) => feature.errors),
    resourceMetadata: merged('resourceMetadata', features, (feature) => feature.resourceMetadata),
    clientMetadata: (registeredBy) =>
      merged('clientMetadata', features, (feature) => feature.clientMetadata?.(registeredBy)),
    checkClient,
  }
}

function merged<Member>(
  list: string,
  features: readonly FeatureParts[],
  partOf: (feature: FeatureParts) => Readonly<Record<string, Member>> | undefined,
): Readonly<Record<string, Member>> {
  const parts = features.map(partOf)
  const names = parts.flatMap((part) => Object.keys(part ?? {}))
  requireDistinct(list, names)
  return Object.assign({}, ...parts)
}

function requireDistinct(list: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`features: ${list} has ${twice} twice`)
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}

function onlyOne<Member extends keyof SingleParts>(
  member: Member,
  features: readonly FeatureParts[],
): FeatureParts[Member] {
  const [only, ...others] = features.flatMap((feature) => feature[member] ?? [])
  if (others.length > 0) throw new Error(`features: two features bring ${member}`)
  return only as FeatureParts[Member]
}

/** What a client may register. @param registeredBy `client`: self-registration (RFC 7591); `operator`: `clients.add` */
export function registrable(
  { keys }: ServerContext,
  idTokenAlgorithm: SigningAlgorithm | undefined,
  parts: Parts,
  registeredBy: RegisteredBy,
): Registrable {
  const isOpen = ({ selfRegistered }: GrantType | ClientAuthMethod) =>
    registeredBy === 'operator' || selfRegistered === true
  const methods = parts.clientAuthMethods.filter(isOpen)
  const members = parts.clientMetadata(registeredBy)
  requireOwnNames(members)
  return {
    authMethods: methods.map(nameOf),
    secretMethods: methods.filter(({ usesSecret }) => usesSecret).map(nameOf),
    grantTypes: parts.grantTypes.filter(isOpen).map(nameOf),
    signingAlgorithms: keys.algorithms,
    idTokenAlgorithm,
    members,
    checkClient: parts.checkClient,
  }
}

type ContextOptions = AuthorizationOptions & GrantOptions & LimitOptions & SigningKeyOptions

const LATE = [
  ...(['accessTokens', 'senderConstraint', 'sessions', 'clientKeys'] as const),
  ...(['requestTerms', 'validateRequest'] as const),
]
type LateMember = (typeof LATE)[number]

const late: PropertyDescriptor = {
  get() {
    throw new Error('features: the server is used before all features are created')
  },
}

/** Behind a server that is not complete: it throws for what features that are yet to be created may bring. */
const INCOMPLETE = Object.create(null, Object.fromEntries(LATE.map((name) => [name, late])))

/**
 * What features get. They are created one after the other, so what they bring to each other comes last.
 *
 * @throws Error that names the option at fault
 */
export function serverContext(kernel: Kernel, options: ContextOptions) {
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
    /** Adds what features bring to each other, before the first request: from then on it is plain data. */
    mount(members: Partial<Pick<ServerContext, LateMember>>) {
      for (const [name, value] of Object.entries(members))
        Object.defineProperty(server, name, { value, enumerable: true })
      const { accessTokens } = members
      // It may be an instance of a class, so its method is called on it.
      if (accessTokens?.longest) terms.longest = (resources) => accessTokens.longest?.(resources)
    },
    /** Declares the limits of all features, and ends the creation. */
    complete(rateLimits: Parts['rateLimits']) {
      declared = rateLimits
      Object.freeze(server)
    },
  }
}
