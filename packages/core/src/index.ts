/**
 * Grantkit core: an OAuth 2.0 and OpenID Connect authorization server, and a guard for its APIs, as functions from a
 * request record to a response record.
 *
 * @module
 */

export type {
  ConsentScope,
  ConsentView,
  DocumentIdentity,
  ErrorView,
  Interaction,
  Session,
  SignInHint,
} from './authorization/interaction.ts'
export type { CallbackView } from './authorization/shown-callback.ts'
export {
  type AuthorizationServer,
  createAuthorizationServer,
  type ServerDescription,
} from './authorization-server.ts'
export {
  type ClientAuthMethod,
  ClientCredentials,
  type PresentedProof,
} from './clients/authentication/client-authentication.ts'
export type { ClientEndpoint } from './clients/client-endpoint.ts'
export type { ClientSource } from './clients/client-sources.ts'
export type { Integration, IntegrationInformation } from './clients/pre-registered-clients.ts'
export { type PublicClient, publicClient } from './clients/public-client.ts'
export {
  type LoopbackOnlyOptions,
  loopbackOnly,
  type RedirectUriPolicy,
  type RedirectUriVerdict,
} from './clients/redirect-uri.ts'
export type { Metadata } from './discovery/server-metadata.ts'
export { ERRORS, type Reason } from './errors.ts'
export type { Feature, FeatureParts } from './feature.ts'
export { type Allowed, changeGrant, type PrefetchedGrant, type Transition } from './grants/change-grant.ts'
export type { ClientRemoval } from './grants/client-removal.ts'
export type { IssuedTokens, Outcome } from './grants/grant.ts'
export type { Exchanged, GrantType, TokenMembers, TokenRequest, TokenResponse } from './grants/grant-type.ts'
export type { RevokeScope, UserGrant, UserGrantPage } from './grants/user-grants.ts'
export { isCrossSite } from './http/cross-site.ts'
export type {
  DocumentFetch,
  DocumentFetchFault,
  DocumentFetchRequest,
  DocumentFetchResponse,
} from './http/document-fetch.ts'
export { BODY_LIMIT, type CorsHeaders, type Endpoint, type EndpointDescription } from './http/endpoint.ts'
export { errorResponse, failedResponse } from './http/error-response.ts'
export {
  type FetchHandlerOptions,
  readBody,
  toFetchHandler,
  toHttpRequest,
  toResponse,
} from './http/fetch-handler.ts'
export {
  type HttpRequest,
  type HttpResponse,
  json,
  nativeRequest,
  type Route,
  securePage,
} from './http/http.ts'
export { readMessage } from './http/message.ts'
export { nodeHeaders } from './http/node-headers.ts'
export { formParameters, type Parameters, parameters } from './http/parameters.ts'
export { isLoopbackUrl, type PublicUrlRule, publicUrlFault } from './http/public-url.ts'
export { returnPath } from './http/return-path.ts'
export { addressOf, wellKnownAddress } from './http/well-known.ts'
export { displayText, terminalText } from './kernel/display-text.ts'
export type { BaseEvent, RequestEvent } from './kernel/events.ts'
export type { Clients, Kernel, KernelStore, RequestingUser } from './kernel/kernel.ts'
export {
  defineErrors,
  type ErrorDefinition,
  type ErrorFields,
  OAuthError,
  type OAuthErrorCode,
  type OAuthErrorOptions,
} from './kernel/oauth-error.ts'
export type {
  AccessTokenState,
  Actor,
  AuthorizationCode,
  Client,
  ClientDocument,
  Grant,
  RecentRotation,
  RefreshState,
  Rotation,
  SigningAlgorithm,
  Transient,
} from './kernel/records.ts'
export { requestedResources } from './kernel/resource-indicator.ts'
export { requestedScopes, type ScopeCatalogue, type ScopeDefinition, scopeCeiling } from './kernel/scope.ts'
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
export type { ServerSecret } from './kernel/server-secret.ts'
export type {
  GrantOwner,
  GrantPage,
  GrantRecords,
  PageRequest,
  Records,
  Store,
  Stored,
  Transients,
} from './kernel/store.ts'
export type { UserClaims } from './kernel/user-claims.ts'
export { coarseNetworkOf, networkOf } from './limits/caller-network.ts'
export { type EventCounter, processCounter, type RateLimitWindow } from './limits/process-counter.ts'
export type { RateLimit, RateLimiter } from './limits/rate-limits.ts'
export type {
  AuthorizationServerOptions,
  Demand,
  Lifetimes,
  OnEvent,
  Paths,
  Profile,
  ServerEvent,
} from './options.ts'
export type {
  Access,
  AccessToken,
  Anonymous,
  Authorized,
  AuthorizedClient,
  Caller,
  ClientCredentialsToken,
  Refused,
} from './resource/access.ts'
export { toAuthInfo } from './resource/access.ts'
export type { DescribedResource } from './resource/resource-metadata.ts'
export {
  createResourceServer,
  type ProofsOfResource,
  type ResourceServer,
  type ResourceServerOptions,
} from './resource/resource-server.ts'
export { type AccessTokenFormat, opaqueAccessTokens, type PresentedToken } from './tokens/access-token.ts'
export type { GrantSecret } from './tokens/credential.ts'
export { PrivateJwk } from './tokens/jwk.ts'
export { newSigningKeys, rotateSigningKeys, signerAt } from './tokens/key-rotation.ts'
export type { ProofOfPossession, SenderConstraint } from './tokens/proof-of-possession.ts'
export type { SigningKeySource } from './tokens/signing-keys.ts'
