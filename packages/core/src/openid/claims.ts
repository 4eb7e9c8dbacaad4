import type { Kernel } from '../kernel/kernel.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'
import type { UserClaims } from '../kernel/user-claims.ts'

/** Which claims a scope opens (OpenID Connect Core 5.4). */
const CLAIMS_OF_SCOPE = new Map(
  Object.entries({
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
    address: ['address'],
    phone: ['phone_number', 'phone_number_verified'],
  }),
)

/** Claims that `claims` gives and that no scope of the catalogue opens, so that no client ever gets them. Emitted once each. */
export interface ClaimsUnreleased {
  readonly type: 'claims_unreleased'
  readonly names: readonly string[]
}

/** The user's claims that the granted scopes open; empty values are left out. */
export type ReleaseClaims = (scopes: readonly string[], user: UserClaims) => UserClaims

export function releaseClaims({ scopes: catalogue, emit }: Pick<Kernel, 'scopes' | 'emit'>): ReleaseClaims {
  // Core itself says the subject.
  const known = new Set(['sub', ...claimsOfScopes(Object.keys(catalogue), catalogue)])
  return (scopes, user) => {
    const names = Object.keys(user).filter((name) => !known.has(name))
    for (const name of names) known.add(name)
    if (names.length > 0) emit({ type: 'claims_unreleased', names } satisfies ClaimsUnreleased)
    const open = claimsOfScopes(scopes, catalogue)
    return Object.fromEntries(
      Object.entries(user).filter(([name, value]) => open.includes(name) && value != null && value !== ''),
    )
  }
}

export function claimsOfScopes(scopes: readonly string[], catalogue: ScopeCatalogue): readonly string[] {
  return scopes
    .filter((scope) => Object.hasOwn(catalogue, scope))
    .flatMap((scope) => [...(CLAIMS_OF_SCOPE.get(scope) ?? []), ...(catalogue[scope]?.claims ?? [])])
}
