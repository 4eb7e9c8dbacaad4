import type { Caller, ResourceServer } from '@grantkit/core'
import type { Scope } from './scopes.ts'

/** A caller of this service, which serves requests without a token too, and machines where it says so. */
export type { Caller } from '@grantkit/core'
export type SchoolGuard = ResourceServer<Scope, Caller>
