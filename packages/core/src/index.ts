/**
 * Grantkit core: an OAuth 2.0 and OpenID Connect authorization server, and a guard for its APIs, as functions from a
 * request record to a response record.
 *
 * @module
 */

export {
  type CallbackView,
  type ConsentScope,
  type ConsentView,
  type ErrorView,
  type Interaction,
  type OpenAppView,
  type Session,
  type SignInHint,
  sampleSession,
} from './authorization/interaction.ts'
export { declinedSignIn } from './authorization/sign-in.ts'
export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts'
export type { PublicClient } from './clients/client-record.ts'
export type { RotatedSecret } from './clients/client-update.ts'
export { loopbackOnly } from './clients/redirect-uri.ts'
export type { AddedClient, ClientChanges, StaticClient } from './clients/static-clients.ts'
export type { Feature } from './feature.ts'
export type {
  FoundInitialAccessToken,
  InitialAccessToken,
} from './features/initial-access-tokens/initial-access-tokens.ts'
export type { TokenClaims, TokenClaimsRequest } from './grants/operator-claims.ts'
export type { ClientRemoval, UserGrant, UserGrantPage } from './grants/user-grants.ts'
export type { HttpRequest, HttpResponse } from './http/http.ts'
export { type PageView, returnPath } from './http/page.ts'
export type { UserClaims } from './kernel/kernel.ts'
export { OAuthError } from './kernel/oauth-error.ts'
export type { ScopeCatalogue, ScopeDefinition } from './kernel/scope.ts'
export type { ServerSecret } from './kernel/secrets.ts'
export type { Store } from './kernel/store.ts'
export type { RateLimiter } from './limits/rate-limits.ts'
export type { AuthorizationServerOptions, ServerEvent } from './options.ts'
export {
  type Access,
  type AccessToken,
  type Anonymous,
  type Authorized,
  type AuthorizedClient,
  type Caller,
  type Refused,
  type RequiredSignIn,
  type ResourceServer,
  toAuthInfo,
} from './resource/access.ts'
export { mirroredMetadata } from './resource/resource-metadata.ts'
export { createResourceServer, type ProofsOfResource } from './resource/resource-server.ts'
export { PrivateJwk } from './tokens/jwk.ts'
export { newSigningKeys, rotateSigningKeys } from './tokens/signing-keys.ts'
