import type { UserClaims } from '../grants/subject.ts'

/** Which claims a scope opens (OpenID Connect Core 5.4). */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
}

/** The user's claims that the granted scopes open; empty values are left out. */
export function claimsFor(scopes: readonly string[], user: UserClaims): UserClaims {
  const open = claimsOfScopes(scopes)
  return Object.fromEntries(
    Object.entries(user).filter(([name, value]) => open.includes(name) && value != null && value !== ''),
  )
}

export function claimsOfScopes(scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) =>
    Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? (CLAIMS_OF_SCOPE[scope] ?? []) : [],
  )
}
