import type { Reason } from '../oauth-error.ts'

/** What a scope means to a person. */
export interface ScopeDefinition {
  /** In the words of the consent page, as what the app will be able to do. */
  readonly description: string
  /** Groups scopes on the consent page. */
  readonly area?: string
  readonly access?: 'read' | 'write'
  /** Listed in the protected-resource metadata: clients ask for everything they find there. */
  readonly baseline?: boolean
}

/** Every scope of a service, by name. The keys type `protect()`, so that a misspelt scope does not compile. */
export type ScopeCatalogue<Scope extends string = string> = Readonly<Record<Scope, ScopeDefinition>>

const LONGEST_SCOPE = 4000
/** scope-token, RFC 6749 3.3. */
const SCOPE_TOKENS = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** The names in a `scope` parameter, without repeats, or `undefined` when its syntax is wrong (RFC 6749 3.3). */
export function parseScope(scope: string): string[] | undefined {
  if (scope.length > LONGEST_SCOPE || !SCOPE_TOKENS.test(scope)) return undefined
  return [...new Set(scope.split(' '))]
}

/** The scopes of an authorization request: known here, and the client registered for them. */
export function requestedScopes(
  scope: string,
  catalogue: ScopeCatalogue,
  registered: readonly string[] | undefined,
): readonly string[] | Reason {
  const names = parseScope(scope)
  if (names === undefined) return 'scope_malformed'
  if (!names.every((name) => Object.hasOwn(catalogue, name))) return 'scope_unknown'
  if (registered !== undefined && !includesAll(registered, names)) return 'scope_not_registered'
  return names
}

/** The scopes of a refresh: any part of what the user granted; none named means all of it (RFC 6749 6). */
export function narrowedScopes(
  scope: string | undefined,
  granted: readonly string[],
): readonly string[] | Reason {
  if (scope === undefined) return granted
  const names = parseScope(scope)
  if (names === undefined) return 'scope_malformed'
  return includesAll(granted, names) ? names : 'scope_not_granted'
}

export function includesAll(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((name) => held.includes(name))
}
