import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import {
  parseScope,
  requestedScopes,
  SCOPE_ERRORS,
  type ScopeCatalogue,
  scopeCeiling,
} from '../kernel/scope.ts'

/** How a `scope` parameter is read. */
export interface ScopeOptions {
  /** The scope of a request that names none, of a client that registered none. Default: such a request is refused. */
  readonly defaultScope?: string | undefined
  /**
   * How scopes outside the catalogue are treated. Default `refuse`, which names the first of them; `offline_access` is
   * always ignored, because many libraries request refresh tokens by it.
   */
  readonly unknownScopes?: 'refuse' | 'ignore' | undefined
}

export interface ScopesOfRequest {
  readonly scopes: readonly string[]
  /** Names in `scope` that are no scopes here. */
  readonly ignoredScopes: readonly string[]
}

const OFFLINE_ACCESS = 'offline_access'

/** The scopes that a client requests of a user. @throws OAuthError `invalid_scope` or `invalid_request` */
export function scopesOfRequest(
  catalogue: ScopeCatalogue,
  options: ScopeOptions,
  client: Client,
  requested: string | undefined,
): ScopesOfRequest {
  const ceiling = scopeCeiling(client, catalogue)
  const ignoredScopes = ignoredIn(requested, catalogue, options)
  const named = requested?.split(' ').filter((name) => !ignoredScopes.includes(name))
  const scope =
    named?.join(' ') || defaultOf(client, ceiling ?? Object.keys(catalogue)) || options.defaultScope
  if (scope === undefined) throw new OAuthError(SCOPE_ERRORS.scope_missing)
  return { scopes: requestedScopes(scope, catalogue, ceiling), ignoredScopes }
}

/** The scopes that a self-registered client registered and may still request. */
function defaultOf({ origin, scopes }: Client, allowed: readonly string[]): string | undefined {
  return origin === 'registered' ? scopes?.filter((name) => allowed.includes(name)).join(' ') : undefined
}

function ignoredIn(
  scope = '',
  catalogue: ScopeCatalogue,
  { unknownScopes }: ScopeOptions,
): readonly string[] {
  const unknown = parseScope(scope)?.filter((name) => !Object.hasOwn(catalogue, name)) ?? []
  return unknownScopes === 'ignore' ? unknown : unknown.filter((name) => name === OFFLINE_ACCESS)
}
