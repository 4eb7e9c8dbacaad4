import { ProfileClaims } from '../accounts/profile-claims.ts'
import type { Config } from '../config/config.ts'

/** The claims that an account of this server may have. */
const OF_ACCOUNTS: ReadonlySet<string> = new Set([
  ...['sub', 'name', 'email', 'email_verified', 'updated_at'],
  ...Object.keys(ProfileClaims.shape),
])

/** Warns of claims in `resources` that no account of this server has: its tokens would be without them. */
export function claimWarnings({ resources, users }: Pick<Config, 'resources' | 'users'>): readonly string[] {
  if (users !== undefined) return []
  return Object.entries(resources).flatMap(([resource, { claims = [] }]) => {
    const never = claims.filter((name) => !OF_ACCOUNTS.has(name))
    if (never.length === 0) return []
    return [
      `resources: accounts of this server never have the claims ${never.join(', ')} of ${resource}. They come from an application or a directory (users)`,
    ]
  })
}
