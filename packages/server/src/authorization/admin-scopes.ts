import type { ScopeDefinition } from '@grantkit/core'
import type { DescribedResource } from '@grantkit/core/internal'

/** An assertion gives none of them: an admin signs in here, at the strength that is required here. */
const ONLY_BY_NAME = { restricted: true, interactive: true } as const

/**
 * The scopes of the admin API. They exist only where it is enabled, and only for clients that name them: the consent of one
 * admin must not give a client of the catalogue more than its operator did.
 */
export const ADMIN_SCOPES = {
  'admin:read': {
    description: 'See every user, every client and the audit trail',
    area: 'Administration',
    access: 'read',
    ...ONLY_BY_NAME,
  },
  'admin:write': {
    description: 'Change and remove every user and every client',
    area: 'Administration',
    access: 'write',
    ...ONLY_BY_NAME,
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
