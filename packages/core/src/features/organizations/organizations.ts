/**
 * Organizations: a user who belongs to several says at consent for which one an app gets a token, and the grant is for that one
 * alone. Another organization is another grant.
 *
 * @module
 */

import type * as z from 'zod'
import type { Feature, ServerContext } from '../../feature.ts'
import type { TermClaims } from '../../grants/grant.ts'
import { isProtectedClaim } from '../../grants/operator-claims.ts'
import { RequestTerms } from '../../grants/request-terms.ts'
import { endGrantsWhere } from '../../grants/user-grants.ts'
import {
  claimsOfOrganization,
  ID_CLAIM,
  NAME_CLAIM,
  ORGANIZATION,
  ORGANIZATION_ERRORS,
  OrganizationId,
  type OrganizationsOptions,
  organizationTerm,
} from './organization-term.ts'

export type {
  GrantedOrganization,
  Organization,
  OrganizationLeft,
  OrganizationsOptions,
  OrganizationView,
} from './organization-term.ts'
export { ORGANIZATION_ERRORS } from './organization-term.ts'

const OF_OPERATOR: Readonly<Record<string, z.ZodType>> = { [ORGANIZATION]: OrganizationId.min(1).optional() }
const NONE: typeof OF_OPERATOR = {}

/** The feature, and what offboarding needs. */
export interface Organizations extends Feature {
  /**
   * Ends the grants of an organization, or those of one user in it. Without a user it reads every grant, so it is for
   * commands. Remove the membership first: then no consent opens another grant. If it fails halfway, call it again to finish.
   *
   * @returns the number of grants that ended
   */
  endGrants(of: { readonly organization: string; readonly subject?: string | undefined }): Promise<number>
}

/**
 * Binds each grant to one organization of its user. The consent page names it, and asks a user who has several; a request names
 * one by `organization=`. Tokens and introspection have its id as `org_id`.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { organizations } from '@grantkit/core/organizations'
 *
 * declare const memberships: { of(subject: string): Promise<{ id: string; name: string }[]> }
 *
 * const features = [organizations({ of: (subject) => memberships.of(subject) })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function organizations(options: OrganizationsOptions): Organizations {
  const { claim = ID_CLAIM } = options
  if (isProtectedClaim(claim) || claim === NAME_CLAIM)
    throw new Error(`organizations: claim: ${claim} has a meaning already`)
  let mounted: ServerContext | undefined
  const feature: Feature = (server) => {
    mounted = server
    return {
      requestTerms: new RequestTerms([organizationTerm(server, options)]),
      clientMetadata: (registeredBy) => (registeredBy === 'client' ? NONE : OF_OPERATOR),
      errors: ORGANIZATION_ERRORS,
    }
  }
  const endGrants: Organizations['endGrants'] = async ({ organization, subject }) => {
    if (mounted === undefined) throw new Error('organizations: needs a server with this feature')
    return endGrantsWhere(mounted, { subject }, ({ terms }) => terms?.organization?.id === organization)
  }
  return Object.assign(feature, { endGrants })
}

/**
 * For the guard of an API in another process than the server: `createResourceServer({ …, requestTerms: [organizationClaims()] })`.
 *
 * @param claim as in the options of the server
 *
 * @example
 * ```ts with:server
 * import { createResourceServer } from '@grantkit/core'
 * import { organizationClaims } from '@grantkit/core/organizations'
 *
 * export const notes = createResourceServer({ resource: issuer, store, scopes, requestTerms: [organizationClaims()] })
 * ```
 */
export function organizationClaims(claim = ID_CLAIM): TermClaims {
  return { name: ORGANIZATION, claimsOf: claimsOfOrganization(claim) } as TermClaims
}
