/**
 * Grantkit core: an OAuth 2.0 and OpenID Connect authorization server, and the guard of the APIs behind it, as
 * functions from a request record to a response record.
 *
 * @module
 */
export type { Access, AccessToken } from './access.ts'
export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts'
export type { ClientRemoval } from './client-removal.ts'
export type { OnEvent, ServerEvent } from './events.ts'
export {
  type FetchHandlerOptions,
  readBody,
  toFetchHandler,
  toHttpRequest,
  toResponse,
} from './fetch-handler.ts'
export type { HttpRequest, HttpResponse, Route } from './http.ts'
export type { Integration, IntegrationInformation } from './integrations.ts'
export type { ConsentScope, ConsentView, ErrorView, Interaction, Session, SignInHint } from './interaction.ts'
export { messages } from './messages.ts'
export {
  OAuthError,
  type OAuthErrorCode,
  type OAuthErrorOptions,
  REFUSALS,
  type Reason,
} from './oauth-error.ts'
export type { AuthorizationServerOptions, Lifetimes, Paths } from './options.ts'
export { addressOf, wellKnownAddress } from './paths.ts'
export type { RateLimit, RateLimiter } from './rate-limits.ts'
export { createResourceServer, type ResourceServer, type ResourceServerOptions } from './resource-server.ts'
export { BODY_LIMIT, errorResponse } from './route.ts'
export type { UserClaims } from './rules/claims.ts'
export {
  type LoopbackOnlyOptions,
  loopbackOnly,
  type RedirectUriPolicy,
  type RedirectUriVerdict,
} from './rules/redirect-uri.ts'
export type { ScopeCatalogue, ScopeDefinition } from './rules/scope.ts'
export type {
  AccessTokenState,
  AuthorizationCode,
  Client,
  Grant,
  GrantRecords,
  GrantType,
  Records,
  RefreshState,
  Rotation,
  SigningAlgorithm,
  Store,
  Stored,
  TokenEndpointAuthMethod,
} from './store.ts'
export { rotateSigningKeys } from './tokens/key-rotation.ts'
export { PrivateJwk, type SigningKeySource } from './tokens/signing-keys.ts'
export type { UserGrant } from './user-grants.ts'
