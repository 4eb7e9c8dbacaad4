import type { ScopeDefinition } from '@grantkit/core'
import type { DescribedResource } from '@grantkit/core/feature'

/** The scopes of the admin API. They exist only where it is enabled. */
export const ADMIN_SCOPES = {
  'admin:read': {
    description: 'See every user, every client and the audit trail',
    area: 'Administration',
    access: 'read',
  },
  'admin:write': {
    description: 'Change and remove every user and every client',
    area: 'Administration',
    access: 'write',
  },
} as const satisfies Readonly<Record<string, ScopeDefinition>>

export type AdminScope = keyof typeof ADMIN_SCOPES

/** The indicator of the admin API (RFC 8707): tokens must be for it. */
export function adminResource(issuer: string): string {
  return `${issuer}/admin/api`
}

/** What its protected-resource metadata says (RFC 9728). */
export function describedAdminResource(issuer: string): DescribedResource<AdminScope> {
  const scopes = Object.keys(ADMIN_SCOPES) as AdminScope[]
  return { resource: adminResource(issuer), name: 'Admin API', scopes }
}
