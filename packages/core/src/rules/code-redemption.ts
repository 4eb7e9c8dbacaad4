import { sameSecret, sha256 } from '../secrets.ts'
import type { Client, Grant, RefreshState } from '../store.ts'
import {
  type GrantTimes,
  type IssuedTokens,
  newAccessToken,
  type Outcome,
  type RefreshTokenSecret,
  refreshTokenHash,
  refused,
} from './grant.ts'
import { verifierMatches } from './pkce.ts'
import { narrowedResources } from './resource-indicator.ts'

export interface CodeRedemption {
  readonly code: string
  readonly client: Client
  readonly redirectUri: string | undefined
  readonly verifier: string
  readonly resources: readonly string[]
  readonly knownResources: readonly string[]
  /** Fresh randomness for the tokens, should they be issued. */
  readonly fresh: { readonly accessToken: string; readonly family: string; readonly refreshToken: string }
}

/**
 * Exchanges the code (RFC 6749 4.1.3). Whoever is not the owner changes nothing; the owner's mistakes that cost no
 * secrecy consume nothing; a wrong verifier, which means the code was stolen, burns it.
 */
export function redeemCode(
  grant: Grant,
  request: CodeRedemption,
  now: number,
  times: GrantTimes,
): Outcome<IssuedTokens> {
  const { hash, challenge, redeemedAt, expiresAt } = grant.code
  if (!sameSecret(sha256(request.code), hash)) return refused('code_unknown')
  if (request.client.clientId !== grant.clientId) return refused('code_of_other_client')
  if (redeemedAt !== undefined || challenge === undefined) return { kind: 'ended', reason: 'code_replayed' }
  if (now >= expiresAt) return refused('code_expired')
  if (request.redirectUri !== grant.redirectUri) return refused('code_redirect_uri_mismatch')
  const resources = narrowedResources(request.resources, grant.resources, request.knownResources)
  if (typeof resources === 'string') return refused(resources)
  if (!verifierMatches(request.verifier, challenge))
    return { kind: 'ended', reason: 'code_verifier_mismatch' }
  return issueFirstTokens(grant, request, resources, now, times)
}

function issueFirstTokens(
  grant: Grant,
  { client, fresh }: CodeRedemption,
  resources: readonly string[],
  now: number,
  times: GrantTimes,
): Outcome<IssuedTokens> {
  const access = newAccessToken(fresh.accessToken, grant, grant.scopes, resources, now, times)
  const refreshable = client.grantTypes.includes('refresh_token')
  const refreshToken = { family: fresh.family, generation: 0, secret: fresh.refreshToken }
  const next: Grant = {
    ...grant,
    usedAt: now,
    code: { hash: grant.code.hash, expiresAt: grant.code.expiresAt, redeemedAt: now },
    accessTokens: [access],
    ...(refreshable ? { refresh: firstRefreshState(refreshToken, grant, now, times) } : {}),
  }
  const issued = { accessToken: fresh.accessToken, scopes: grant.scopes, expiresIn: access.expiresAt - now }
  return { kind: 'changed', grant: next, result: refreshable ? { ...issued, refreshToken } : issued }
}

function firstRefreshState(
  token: RefreshTokenSecret,
  grant: Grant,
  now: number,
  times: GrantTimes,
): RefreshState {
  return {
    familyHash: sha256(token.family),
    generation: 0,
    hash: refreshTokenHash(token),
    expiresAt: Math.min(now + times.refreshToken, grant.expiresAt),
  }
}
