/**
 * What you need to write a feature or a store: the parts that a feature brings, the context it gets, the records, the port
 * of the store, and the functions by which core's own features read messages and change grants. Experimental: a minor release may
 * change what features see, and says so.
 *
 * @module
 */

export { RequestSources } from './authorization/presented-request.ts'
export {
  type AnswerParameters,
  type AnswerTarget,
  type EncodedResponseMode,
  type ResponseMode,
  ResponseModes,
} from './authorization/response-mode.ts'
export type { Tickets } from './authorization/ticket.ts'
export type { ClientAuthMethod } from './clients/authentication/client-authentication.ts'
export type { ClientEndpoint } from './clients/client-endpoint.ts'
export { isPrivateUseUri, loopbackAnd, type RedirectUriPolicy } from './clients/redirect-uri.ts'
export type { FeatureParts, ServerContext } from './feature.ts'
export { changeGrant, planOf } from './grants/change-grant.ts'
export type { TermClaimsRequest } from './grants/grant.ts'
export type { ExchangePlan, GrantType, TokenMembers, TokenRequest } from './grants/grant-type.ts'
export {
  type Decided,
  type Narrowed,
  type RequestTerm,
  RequestTerms,
  type TermQuestion,
  type UserInfo,
} from './grants/request-terms.ts'
export type { Endpoint } from './http/endpoint.ts'
export { json, securePage } from './http/http.ts'
export { formParameters, parameters, readMessage } from './http/message.ts'
export { isCrossSite, pageView } from './http/page.ts'
export { isLoopbackUrl } from './http/public-url.ts'
export { terminalText } from './kernel/display-text.ts'
export { type CreateListener, type Observer, observers, type Report } from './kernel/events.ts'
export type { Kernel } from './kernel/kernel.ts'
export { defineErrors, type ErrorDefinition } from './kernel/oauth-error.ts'
export type {
  Client,
  FeatureMetadata,
  Grant,
  RefreshState,
  Terms,
  TermViews,
  Transient,
} from './kernel/records.ts'
export { requestedScopes, scopeCeiling } from './kernel/scope.ts'
export {
  type GrantId,
  type Hash,
  newGrantId,
  newId,
  newSecret,
  type Secret,
  sha256,
} from './kernel/secrets.ts'
export type {
  GrantOwner,
  GrantPage,
  GrantRecords,
  PageRequest,
  Records,
  Stored,
  Transients,
} from './kernel/store.ts'
export { networksOf } from './limits/caller-network.ts'
export type { RateLimitWindow } from './limits/rate-limits.ts'
export type { OnEvent } from './options.ts'
export type { SenderConstraint } from './tokens/proof-of-possession.ts'
