import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { includesAll, SCOPE_REFUSALS, type ScopeCatalogue, scopeCeiling } from '../kernel/scope.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Exchanged, GrantType } from './grant-type.ts'

/** The terms of the server for the grant types of features. */
export interface IssuedTerms {
  readonly grantTypes: readonly GrantType[]
  readonly scopes: ScopeCatalogue
  /** Of an access token, in seconds. */
  readonly lifetime: number
  /** Epoch seconds. */
  readonly now: () => number
}

/**
 * Holds a grant type of a feature to the terms of the server. Core's own keep them by themselves: they may answer what was
 * granted under earlier terms.
 *
 * @throws OAuthError `invalid_scope`
 * @throws Error for a token that lives too long: a fault of the feature, which the event `failed` names
 */
export function requireWithinTerms(
  grantType: GrantType,
  client: Client,
  { grant, issued }: Exchanged,
  { grantTypes, scopes, lifetime, now }: IssuedTerms,
): void {
  if (!grantTypes.includes(grantType)) return
  const token = grant.accessTokens.find(({ hash }) => hash === sha256(issued.accessToken))
  const given = [...grant.scopes, ...issued.scopes, ...(token?.scopes ?? [])]
  if (!given.every((name) => Object.hasOwn(scopes, name))) throw new OAuthError(SCOPE_REFUSALS.scope_unknown)
  const ofItsUser = grant.subject !== undefined && grant.clientId === client.clientId
  const ceiling = ofItsUser ? scopeCeiling(client) : undefined
  if (ceiling !== undefined && !includesAll(ceiling, given))
    throw new OAuthError(SCOPE_REFUSALS.scope_not_registered)
  const { name, longest = lifetime } = grantType
  const lives = Math.max(issued.expiresIn, (token?.expiresAt ?? 0) - now())
  if (lives > longest) throw new Error(`${name} issued a token for ${lives} seconds, longer than ${longest}`)
}
