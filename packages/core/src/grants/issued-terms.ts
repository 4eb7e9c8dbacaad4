import { OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Client } from '../kernel/records.ts'
import { includesAll, SCOPE_ERRORS, type ScopeCatalogue, scopeCeiling } from '../kernel/scope.ts'
import { sha256 } from '../kernel/secrets.ts'
import type { Exchanged, GrantType, IssuedLifetimes } from './grant-type.ts'

/** The terms of the server for the grant types of features. */
export interface IssuedTerms {
  readonly grantTypes: readonly GrantType[]
  readonly scopes: ScopeCatalogue
  readonly lifetimes: IssuedLifetimes
  /** Epoch seconds. */
  readonly now: () => number
}

/**
 * Holds a grant type of a feature to the terms of the server. Core's own keep them by themselves: they may answer what was
 * granted under earlier terms.
 *
 * @throws OAuthError `invalid_scope`
 * @throws Error for what lives too long: a fault of the feature, which the event `failed` names
 */
export function requireWithinTerms(
  grantType: GrantType,
  client: Client,
  exchanged: Exchanged,
  { grantTypes, scopes, lifetimes, now }: IssuedTerms,
): void {
  if (!grantTypes.includes(grantType)) return
  requireScopes(client, exchanged, scopes)
  const { name, lifetimes: own } = grantType
  const limits = { ...lifetimes, ...own }
  for (const [issued, lives] of Object.entries(lifetimesOf(exchanged, now()))) {
    const most = limits[issued as keyof IssuedLifetimes]
    // No comparison with NaN holds.
    if (!(lives <= most)) throw new Error(`${name}: ${issued} lives ${lives} seconds, longer than ${most}`)
  }
}

function requireScopes(client: Client, { grant, issued }: Exchanged, scopes: ScopeCatalogue): void {
  const given = [...grant.scopes, ...issued.scopes, ...(issuedToken({ grant, issued })?.scopes ?? [])]
  if (!given.every((name) => Object.hasOwn(scopes, name))) throw new OAuthError(SCOPE_ERRORS.scope_unknown)
  const ofItsUser = grant.subject !== undefined && grant.clientId === client.clientId
  const ceiling = ofItsUser ? scopeCeiling(client) : undefined
  if (ceiling !== undefined && !includesAll(ceiling, given))
    throw new OAuthError(SCOPE_ERRORS.scope_not_registered)
}

/** In seconds. A grant without a new refresh token gives nothing that lives longer than its access token. */
function lifetimesOf({ grant, issued }: Exchanged, now: number): Partial<IssuedLifetimes> {
  const stored = issuedToken({ grant, issued })?.expiresAt ?? now
  const accessToken = Math.max(issued.expiresIn, stored - now)
  if (issued.refreshToken === undefined) return { accessToken }
  return { accessToken, refreshToken: (grant.refresh?.expiresAt ?? now) - now, grant: grant.expiresAt - now }
}

function issuedToken({ grant, issued }: Exchanged): AccessTokenState | undefined {
  const hash = sha256(issued.accessToken)
  return grant.accessTokens.find((token) => token.hash === hash)
}
