/**
 * The guard of an API that has the store and not the authorization server: `createResourceServer` without the rest of core. It loads no
 * package. `@grantkit/core` exports the same functions and types.
 *
 * @module
 */

export type { HttpRequest, HttpResponse } from './http/http.ts'
export type { ScopeCatalogue, ScopeDefinition } from './kernel/scope.ts'
export type { ServerSecret } from './kernel/server-secret.ts'
export type { Store } from './kernel/store.ts'
export {
  type Access,
  type AccessToken,
  type Anonymous,
  type Authorized,
  type AuthorizedClient,
  type Caller,
  type ClientCredentialsToken,
  type Refused,
  type RequiredSignIn,
  type ResourceServer,
  toAuthInfo,
} from './resource/access.ts'
export { mirroredMetadata } from './resource/resource-metadata.ts'
export {
  createResourceServer,
  type ProofsOfResource,
  type ResourceServerOptions,
} from './resource/resource-server.ts'
