/**
 * For the packages of this repository alone: a name here may change or go in every release.
 *
 * @module
 */

export { SESSION_ERRORS, sidsFor } from './authorization/user-sessions.ts'
export type { ClientMetadataMembers, RegisteredBy } from './clients/client-metadata.ts'
export { revokeGrantsOfSessions } from './grants/user-grants.ts'
export { text } from './http/message.ts'
export { httpsParts } from './http/public-url.ts'
export { type Emit, shielded } from './kernel/events.ts'
export { CLOCK_TOLERANCE } from './kernel/kernel.ts'
export { snakeCased } from './kernel/member-names.ts'
export { SERVER_ERRORS } from './kernel/oauth-error.ts'
export { asksForOpenId } from './kernel/scope.ts'
export { strongRandom } from './kernel/secrets.ts'
export { pauseAfter } from './kernel/time.ts'
export { jose } from './tokens/jwk.ts'
