/**
 * For the packages of this repository alone: a name here may change or go in every minor release.
 *
 * @module
 */

export { errorPages } from './authorization/redirect-target.ts'
export {
  type EndedSessions,
  SESSION_ERRORS,
  type SessionObserver,
  sidsFor,
} from './authorization/user-sessions.ts'
export type { ServerDescription } from './authorization-server.ts'
export { ClientCredentials } from './clients/authentication/client-authentication.ts'
export type { ClientMetadataMembers, RegisteredBy } from './clients/client-metadata.ts'
export { publicClient } from './clients/client-record.ts'
export { clientRevision } from './clients/client-update.ts'
export { hashesOf, presentedRecords } from './grants/change-grant.ts'
export { isProtectedClaim } from './grants/operator-claims.ts'
export { revokeGrantsOfSessions, type UserGrants, userGrants } from './grants/user-grants.ts'
export { basePathOf, type EndpointDescription, endpointPath } from './http/endpoint.ts'
export { redirect } from './http/http.ts'
export { text } from './http/message.ts'
export type { MessagePost, MessagePostResponse } from './http/outbound.ts'
export { requireOwnForm } from './http/page.ts'
export { httpsParts, type PublicUrlRule, publicUrlFault } from './http/public-url.ts'
export { displayText, inLanguage, type LocalizedText } from './kernel/display-text.ts'
export {
  type About,
  type BaseEvent,
  type Emit,
  type ErrorPlace,
  type GrantEnd,
  type ObservedRequest,
  type Observer,
  type ObserverContext,
  type PresentedRecords,
  type Report,
  type ReportedError,
  type RequestIdentity,
  shielded,
} from './kernel/events.ts'
export { CLOCK_TOLERANCE, type KernelStore } from './kernel/kernel.ts'
export type { ErrorFacts } from './kernel/oauth-error.ts'
export { camelCased, snakeCased } from './kernel/records.ts'
export { plainResources } from './kernel/resource-indicator.ts'
export { isReading, OPENID, type ScopeInWords, scopeInLanguage } from './kernel/scope.ts'
export {
  derivedKey,
  hmac,
  openText,
  type Random,
  type SealingKeys,
  sameSecret,
  sealingKeys,
  sealText,
  strongRandom,
  withoutSecrets,
} from './kernel/secrets.ts'
export { changeRecord } from './kernel/store.ts'
export { IN_WORKER, systemClock, systemTime, type Time } from './kernel/time.ts'
export { coarseNetworkOf, ipAddress } from './limits/caller-network.ts'
export { type EventCounter, networkLimits, processCounter } from './limits/rate-limits.ts'
export type { Profile } from './options.ts'
export type { DescribedResource } from './resource/resource-metadata.ts'
export { jose } from './tokens/jwk.ts'
export { signerAt } from './tokens/signing-keys.ts'
