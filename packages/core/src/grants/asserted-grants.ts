import type { Kernel } from '../kernel/kernel.ts'
import { endGrant } from './change-grant.ts'
import { revokeUserGrant } from './user-grants.ts'

/** Which grants: those of an issuer, of one of its organizations, or of one of its users or workloads. */
export interface EndGrantsOf {
  /** `iss` of the assertions. */
  readonly issuer: string
  /** `tenant` of the assertions, where organizations share the issuer (`tenants: true`). Default: all. */
  readonly tenant?: string | undefined
  /** `sub` of the assertions. Default: all. At a shared issuer it names a user only together with `tenant`. */
  readonly subject?: string | undefined
}

/** The grants that assertions brought (`jwtBearer`). */
export interface AssertedGrants {
  /**
   * Ends all grants that an issuer has allowed, or those of one of its organizations, users or workloads. It reads every grant, so it is for
   * commands. Remove the trust first: then no assertion brings another grant.
   *
   * @returns the number of grants that ended
   */
  endOf(of: EndGrantsOf): Promise<number>
}

/** By a scan: no request waits for it (docs/adr/0007). @returns the number of grants that ended */
export async function endGrantsOf(
  kernel: Kernel,
  { issuer, tenant, subject: asserted }: EndGrantsOf,
): Promise<number> {
  let ended = 0
  for await (const { id, subject, authority } of kernel.store.grants.scan()) {
    if (authority?.issuer !== issuer) continue
    if (tenant !== undefined && authority.tenant !== tenant) continue
    // Without a tenant it would name people of several organizations.
    if (asserted !== undefined && (authority.subject !== asserted || authority.tenant !== tenant)) continue
    if (await endOne(kernel, id, subject)) ended++
  }
  return ended
}

async function endOne(kernel: Kernel, id: string, subject: string | undefined): Promise<boolean> {
  if (subject !== undefined) return revokeUserGrant(kernel, subject, id, { by: 'operator' })
  const stored = await kernel.store.grants.find(id)
  return stored !== undefined && endGrant(kernel, stored, { by: 'operator' })
}
