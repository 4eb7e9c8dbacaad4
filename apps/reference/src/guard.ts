import type { Anonymous, Authorized, ResourceServer } from '@grantkit/core'
import type { Scope } from './scopes.ts'

/** Who may ask this service: it serves requests without a token too. */
export type Caller = Authorized | Anonymous
export type SchoolGuard = ResourceServer<Scope, Caller>
