import type { Anonymous, Authorized, ResourceServer } from '@grantkit/core'
import type { Scope } from './scopes.ts'

/** A caller of this service, which serves requests without a token too. */
export type Caller = Authorized | Anonymous
export type SchoolGuard = ResourceServer<Scope, Caller>
