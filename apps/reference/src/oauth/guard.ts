import type { Caller, ResourceServer } from '@grantkit/core'
import type { Scope } from './scopes.ts'

/**
 * The authenticated caller, or an anonymous one. A client-credentials token is accepted only where the route allows it.
 */
export type { Caller } from '@grantkit/core'
export type SchoolGuard = ResourceServer<Scope, Caller>
