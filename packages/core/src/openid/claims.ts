import type { Kernel, UserClaims } from '../kernel/kernel.ts'
import type { ScopeCatalogue } from '../kernel/scope.ts'

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

/** Claims in the result of `claims` that no scope of the catalogue opens, so no client ever gets them. Emitted once each, up to 100 names. */
export interface ClaimsUnreleased {
  readonly type: 'claims_unreleased'
  readonly names: readonly string[]
}

/** Names may have a part of a tenant or a user, and then there is no end of them. */
const MAX_UNRELEASED = 100

/** The user's claims that the granted scopes open; empty values are left out. */
export type ReleaseClaims = (scopes: readonly string[], user: UserClaims) => UserClaims

export function releaseClaims({ scopes: catalogue, emit }: Pick<Kernel, 'scopes' | 'emit'>): ReleaseClaims {
  const scopesOf = scopesOfClaims(catalogue)
  const most = scopesOf.size + MAX_UNRELEASED
  return (scopes, user) => {
    const names: string[] = []
    for (const name of Object.keys(user)) {
      if (scopesOf.has(name) || scopesOf.size === most) continue
      scopesOf.set(name, [])
      names.push(name)
    }
    if (names.length > 0) emit({ type: 'claims_unreleased', names } satisfies ClaimsUnreleased)
    const released: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(user)) {
      const isOpen = scopesOf.get(name)?.some((scope) => scopes.includes(scope))
      if (isOpen && value != null && value !== '') released[name] = value
    }
    return released
  }
}

/** The scopes that open each claim. Core itself adds the subject. */
function scopesOfClaims(catalogue: ScopeCatalogue): Map<string, readonly string[]> {
  const scopesOf = new Map<string, readonly string[]>([['sub', []]])
  for (const scope of Object.keys(catalogue))
    for (const claim of claimsOfScopes([scope], catalogue))
      scopesOf.set(claim, [...(scopesOf.get(claim) ?? []), scope])
  return scopesOf
}

export function claimsOfScopes(scopes: readonly string[], catalogue: ScopeCatalogue): readonly string[] {
  return scopes
    .filter((scope) => Object.hasOwn(catalogue, scope))
    .flatMap((scope) => [...(CLAIMS_OF_SCOPE.get(scope) ?? []), ...(catalogue[scope]?.claims ?? [])])
}
