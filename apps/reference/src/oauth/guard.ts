import type { Caller, ResourceServer } from '@grantkit/core'
import type { Scope } from './scopes.ts'

/**
 * The authenticated caller, or an anonymous one. A client-credentials token is accepted only where the route allows it.
 */
export type { Caller } from '@grantkit/core'
export type SchoolGuard = ResourceServer<Scope, Caller>
/** What a route demands of the sign-in behind a token (RFC 9470). */
export type RequiredSignIn = Parameters<SchoolGuard['requiring']>[0]
