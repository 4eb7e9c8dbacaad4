/**
 * What you need to write a feature or a store: the parts that a feature brings, the context it gets, the records, the port
 * of the store, and the functions by which core's own features read messages and change grants.
 *
 * @module
 */

export type { AuthenticationClasses } from './authorization/authentication-classes.ts'
export type {
  AuthorizationRequestSource,
  PushedRequest,
  ValidateRequest,
} from './authorization/request-source.ts'
export type { Tickets } from './authorization/ticket.ts'
export type { EndedSessions, SessionObserver, UserSessions } from './authorization/user-sessions.ts'
export type { ServerDescription } from './authorization-server.ts'
export {
  type ClientAuthMethod,
  ClientCredentials,
  type PresentedProof,
} from './clients/authentication/client-authentication.ts'
export type { ClientEndpoint } from './clients/client-endpoint.ts'
export { publicClient } from './clients/client-record.ts'
export type { ClientSource } from './clients/client-sources.ts'
export { clientRevision } from './clients/client-update.ts'
export { isPrivateUseUri } from './clients/redirect-uri.ts'
export {
  type LoopbackOnlyOptions,
  loopbackAnd,
  type RedirectUriVerdict,
} from './clients/redirect-uri-policy.ts'
export type { Metadata } from './discovery/server-metadata.ts'
export type { FeatureParts, MountedFeatures, ServerContext } from './feature.ts'
export {
  type Allowed,
  changeGrant,
  type PrefetchedGrant,
  planOf,
  type Transition,
} from './grants/change-grant.ts'
export type { IssuedTokens, Outcome } from './grants/grant.ts'
export type {
  ExchangePlan,
  GrantType,
  TokenMembers,
  TokenRequest,
  TokenResponse,
} from './grants/grant-type.ts'
export type { SignInClassifier, SignInFacts } from './grants/introspection.ts'
export { isProtectedClaim } from './grants/operator-claims.ts'
export type { RevokeScope } from './grants/user-grants.ts'
export { isCrossSite } from './http/cross-site.ts'
export type { Endpoint, EndpointDescription } from './http/endpoint.ts'
export { json, securePage } from './http/http.ts'
export { formParameters, type Parameters, parameters, readMessage } from './http/message.ts'
export type { MessagePost, MessagePostRequest, MessagePostResponse } from './http/message-post.ts'
export { pageView } from './http/page-language.ts'
export { isLoopbackUrl, type PublicUrlRule, publicUrlFault } from './http/public-url.ts'
export { displayText, inLanguage, type LocalizedText, terminalText } from './kernel/display-text.ts'
export type { BaseEvent, RequestEvent } from './kernel/events.ts'
export type { Clients, Kernel, KernelStore, RequestingUser } from './kernel/kernel.ts'
export {
  defineErrors,
  type ErrorDefinition,
  type ErrorFields,
  type OAuthErrorCode,
  type OAuthErrorOptions,
} from './kernel/oauth-error.ts'
export type {
  AccessTokenState,
  Actor,
  AuthorizationCode,
  Client,
  ClientDocument,
  FeatureMetadata,
  Grant,
  RecentRotation,
  RefreshState,
  Rotation,
  SigningAlgorithm,
  Transient,
} from './kernel/records.ts'
export { requestedResources } from './kernel/resource-indicator.ts'
export { isReading, requestedScopes, type ScopeInWords, scopeCeiling } from './kernel/scope.ts'
export {
  type GrantId,
  type Hash,
  newGrantId,
  newId,
  newSecret,
  type Random,
  type Secret,
  sha256,
} from './kernel/secrets.ts'
export { openText, type SealingKeys, sealingKeys, sealText } from './kernel/server-secret.ts'
export type {
  GrantOwner,
  GrantPage,
  GrantRecords,
  PageRequest,
  Records,
  Stored,
  Transients,
} from './kernel/store.ts'
export { IN_WORKER, systemClock, systemTime, type Time } from './kernel/time.ts'
export { coarseNetworkOf, ipAddress, networkOf, networksOf } from './limits/caller-network.ts'
export {
  type EventCounter,
  type Limiter,
  networkLimits,
  processCounter,
  type RateLimit,
  type RateLimits,
  type RateLimitWindow,
} from './limits/rate-limits.ts'
export type { Demand, Lifetimes, OnEvent, Paths, Profile } from './options.ts'
export type { DescribedResource } from './resource/resource-metadata.ts'
export {
  type AccessTokenFormat,
  type GrantSecret,
  opaqueAccessTokens,
  type PresentedToken,
} from './tokens/credential.ts'
export type { ProofOfPossession, SenderConstraint } from './tokens/proof-of-possession.ts'
export { signerAt } from './tokens/signing-keys.ts'
