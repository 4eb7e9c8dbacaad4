/**
 * The feature API: what a feature gets from the server, and what it brings. Every feature of this package is written with
 * it, and an application writes its own in the same way.
 */

import type { AuthorizationRequestSource, ValidateRequest } from './authorization/authorization-request.ts'
import type { Interaction } from './authorization/interaction.ts'
import type { AuthenticationClasses } from './authorization/sign-in.ts'
import type { Tickets } from './authorization/ticket.ts'
import type { SessionObserver } from './authorization/user-sessions.ts'
import type { ClientAuthMethod } from './clients/authentication/client-authentication.ts'
import type { ClientEndpoint } from './clients/client-endpoint.ts'
import type { CheckClient, ClientMetadataMembers, RegisteredBy } from './clients/client-metadata.ts'
import type { ClientSource } from './clients/client-sources.ts'
import type { Metadata } from './discovery/server-metadata.ts'
import type { GrantTerms } from './grants/grant-terms.ts'
import type { GrantType, TokenMembers } from './grants/grant-type.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { ErrorDefinition } from './kernel/oauth-error.ts'
import type { AcceptedSecrets } from './kernel/secrets.ts'
import type { Limiter, RateLimitWindow } from './limits/rate-limits.ts'
import type { AccessTokenFormat } from './tokens/credential.ts'
import type { SenderConstraint } from './tokens/proof-of-possession.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'

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
  /** What a feature does about sessions; nothing without one. */
  readonly sessions: SessionObserver
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
  /** Where authorization requests come from that carry a `request_uri`. The first that knows the URI is used. */
  readonly requestSources?: readonly AuthorizationRequestSource[] | undefined
  /** Binds tokens to keys of their clients. At most one feature may set it. Default: bearer tokens. */
  readonly senderConstraint?: SenderConstraint | undefined
  /** Names sessions to clients, and hears of their end. At most one feature may set it. */
  readonly sessions?: SessionObserver | undefined
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

/** All that is mounted on a server. */
export interface MountedFeatures {
  readonly metadata: Metadata
  readonly grantTypes: readonly GrantType[]
  readonly clientAuthMethods: readonly ClientAuthMethod[]
  readonly senderConstraint: SenderConstraint | undefined
  /** By name. */
  readonly rateLimits: Readonly<Record<string, RateLimitWindow>>
  /** By reason. */
  readonly errors: Readonly<Record<string, ErrorDefinition>>
}
