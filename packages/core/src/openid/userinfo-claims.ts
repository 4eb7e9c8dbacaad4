import { operatorClaims, type TokenClaimsOptions } from '../grants/operator-claims.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { GrantId } from '../kernel/secrets.ts'
import type { UserClaims } from '../kernel/user-claims.ts'
import type { AccessToken } from '../resource/access.ts'

/** The claims of the option `tokenClaims` for UserInfo; `undefined` without it. They cost two more reads. */
export function userinfoClaims(kernel: Kernel, options: TokenClaimsOptions) {
  const claims = operatorClaims(kernel, options)
  const { clients, grants } = kernel.store
  return (
    claims &&
    (async ({ grantId, clientId, scopes, resources }: AccessToken): Promise<UserClaims> => {
      const [grant, client] = await Promise.all([grants.find(grantId as GrantId), clients.find(clientId)])
      // It ended meanwhile.
      if (grant === undefined || client === undefined) return {}
      return claims('userinfo', { grant: grant.value, client, scopes, resources })
    })
  )
}
