/** What a token gets: an assertion only narrows what its trust gives, and so does the request. */
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'
import {
  includesAll,
  parseScope,
  partOf,
  SCOPE_ERRORS,
  type ScopeCatalogue,
  scopeCeiling,
} from '../kernel/scope.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

/**
 * The scopes that the trust, the client and each of the texts allow.
 *
 * @param catalogue of the server
 * @param texts `scope` of the request and of the assertion; one that is absent allows all
 * @throws OAuthError `invalid_scope`
 */
export function scopesWithin(
  trusted: readonly string[],
  client: Client,
  catalogue: ScopeCatalogue,
  texts: readonly (string | undefined)[],
): readonly string[] {
  const bounds = [scopeCeiling(client, catalogue), ...texts.map(namesIn)].filter(
    (bound) => bound !== undefined,
  )
  const scopes = bounds.reduce((left, bound) => partOf(left, bound), trusted)
  if (scopes.length === 0) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_scope)
  return scopes
}

function namesIn(scope: string | undefined): readonly string[] | undefined {
  if (scope === undefined) return undefined
  const names = parseScope(scope)
  if (names === undefined) throw new OAuthError(SCOPE_ERRORS.scope_malformed)
  return names
}

/** The requested part of the allowed resources; all of them if the request names none. @throws OAuthError `invalid_target` */
export function resourcesWithin(allowed: readonly string[], requested: readonly string[]): readonly string[] {
  const wanted = requested.map(canonicalResource)
  if (!includesAll(allowed, wanted)) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_target)
  return wanted.length === 0 ? allowed : partOf(allowed, wanted)
}
