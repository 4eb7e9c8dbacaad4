/**
 * For packages of this repository alone: what they share with core, and no program may use. It can change in any release.
 *
 * @module
 */

export { hashesOf, presentedRecords } from './grants/change-grant.ts'
export type { ObservedRequest } from './kernel/events.ts'
export type { ErrorFacts } from './kernel/oauth-error.ts'
export type {
  About,
  ErrorPlace,
  GrantEnd,
  Observer,
  ObserverContext,
  PresentedRecords,
  Report,
  ReportedError,
  RequestIdentity,
} from './kernel/observer.ts'
export { hmac, sameSecret, withoutSecrets } from './kernel/secrets.ts'
export { acceptedSecrets, derivedKey } from './kernel/server-secret.ts'
