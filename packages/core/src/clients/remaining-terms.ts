/**
 * What a change of a static client leaves of the grants that it has: it counts when the next token is issued. Nobody changes
 * the terms of other clients in this way.
 */
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { includesAll, partOf, SCOPE_ERRORS } from '../kernel/scope.ts'
import { redirectUriMatches } from './redirect-uri.ts'

/** Whether a code may still be redeemed that was sent to this redirect URI. */
export function mayRedeemAt({ origin, redirectUris }: Client, redirectUri: string | undefined): boolean {
  if (origin !== 'integration' || redirectUri === undefined) return true
  return redirectUris.some((uri) => redirectUriMatches(uri, redirectUri))
}

/**
 * The grant without the scopes that its client no longer has. It lists them as withheld, so that a request that names them
 * gets the others. @throws OAuthError `invalid_scope` when none remains
 */
export function withRemainingScopes(grant: Grant, { origin, scopes }: Client): Grant {
  if (origin !== 'integration' || scopes === undefined || includesAll(scopes, grant.scopes)) return grant
  const remaining = partOf(grant.scopes, scopes)
  if (remaining.length === 0) throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
  const lost = grant.scopes.filter((scope) => !scopes.includes(scope))
  return { ...grant, scopes: remaining, withheldScopes: [...(grant.withheldScopes ?? []), ...lost] }
}
