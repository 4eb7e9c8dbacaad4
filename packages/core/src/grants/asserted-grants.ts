import type { Kernel } from '../kernel/kernel.ts'
import { endGrant } from './change-grant.ts'
import { revokeUserGrant } from './user-grants.ts'

/** Which grants: those of an issuer, or of one of its users or workloads. */
export interface EndGrantsOf {
  /** `iss` of the assertions. */
  readonly issuer: string
  /** `sub` of the assertions. Default: all. */
  readonly subject?: string | undefined
}

/** The grants that assertions brought (`jwtBearer`). */
export interface AssertedGrants {
  /**
   * Ends all grants that an issuer has allowed, or those of one of its users or workloads. It reads every grant, so it is for
   * commands. Remove the trust first: then no assertion brings another grant.
   *
   * @returns the number of grants that ended
   */
  endOf(of: EndGrantsOf): Promise<number>
}

/** By a scan: no request waits for it (docs/adr/0007). @returns the number of grants that ended */
export async function endGrantsOf(
  kernel: Kernel,
  { issuer, subject: asserted }: EndGrantsOf,
): Promise<number> {
  let ended = 0
  for await (const { id, subject, authority } of kernel.store.grants.scan()) {
    if (authority?.issuer !== issuer) continue
    if (asserted !== undefined && authority.subject !== asserted) continue
    if (await endOne(kernel, id, subject)) ended++
  }
  return ended
}

async function endOne(kernel: Kernel, id: string, subject: string | undefined): Promise<boolean> {
  if (subject !== undefined) return revokeUserGrant(kernel, subject, id, { by: 'operator' })
  const stored = await kernel.store.grants.find(id)
  return stored !== undefined && endGrant(kernel, stored, { by: 'operator' })
}
