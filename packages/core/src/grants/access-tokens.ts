/** The access tokens of a grant: plain ones, and those that were exchanged for another (RFC 8693). */
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import type { AccessTokenState, Grant } from '../kernel/records.ts'
import { audienceIncludes } from '../kernel/resource-indicator.ts'
import { type Hash, type Secret, sameSecret, sha256 } from '../kernel/secrets.ts'
import type { AccessTokenFormat } from '../tokens/credential.ts'
import type { GrantTerms } from './grant-terms.ts'

export const BOUND_RESOURCE_ERRORS = defineErrors({
  resource_needs_proof: [
    'invalid_dpop_proof',
    'This resource accepts only DPoP-bound tokens. Send a DPoP proof, or name another resource',
  ],
})

interface NewAccessToken {
  readonly secret: Secret
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  /** The thumbprint of the key that the request proves. */
  readonly jkt?: string | undefined
}

/** @throws OAuthError where it must be bound to a key and is not */
export function newAccessToken(
  grant: Grant,
  { secret, scopes, resources, jkt }: NewAccessToken,
  now: number,
  terms: GrantTerms,
): AccessTokenState {
  requireKeyFor(resources, terms.boundResources ?? [], jkt)
  const { lifetime, mark } = formOf(resources, terms.accessToken, terms.longest)
  return {
    hash: sha256(secret),
    scopes,
    resources,
    issuedAt: now,
    expiresAt: Math.min(now + lifetime, grant.expiresAt),
    ...mark,
    ...(jkt && { jkt }),
  }
}

/** The lifetime of a new token in seconds, and the mark of a signed one. @param most the limit of the server */
export function formOf(
  resources: readonly string[],
  most: number,
  longest: AccessTokenFormat['longest'],
): { readonly lifetime: number; readonly mark?: { readonly signed: true } } {
  const limit = longest?.(resources)
  return limit === undefined
    ? { lifetime: most }
    : { lifetime: Math.min(most, limit), mark: { signed: true } }
}

/**
 * A new token for a resource that requires sender-constrained tokens must be bound to a key (RFC 9728 2,
 * `dpop_bound_access_tokens_required`).
 *
 * @param resources of the token; empty means every resource of the server
 * @param boundOnly the resources that require sender-constrained tokens
 * @param jkt the thumbprint of the key that the request proves
 * @throws OAuthError `invalid_dpop_proof`, before anything is consumed
 */
export function requireKeyFor(
  resources: readonly string[],
  boundOnly: readonly string[],
  jkt: string | undefined,
): void {
  if (jkt === undefined && boundOnly.some((name) => audienceIncludes(resources, name)))
    throw new OAuthError(BOUND_RESOURCE_ERRORS.resource_needs_proof)
}

/** The live access token that is stored under this hash. */
export function findAccessToken(grant: Grant, hash: Hash, now: number): AccessTokenState | undefined {
  const found = grant.accessTokens.find((issued) => sameSecret(issued.hash, hash) && issued.expiresAt > now)
  if (found?.parent === undefined) return found
  return withoutOrphans(grant.accessTokens).includes(found) ? found : undefined
}

/** The client that holds a token: the one that exchanged it (RFC 8693 4.3), or the client of the grant. */
export function holderOf(grant: Grant, token: Pick<AccessTokenState, 'actor'> | undefined): string {
  return token?.actor?.sub ?? grant.clientId
}

interface Added extends Pick<Grant, 'accessTokens'> {
  /** Of the new token. */
  readonly expiresIn: number
  /** Whether a live token was removed. */
  readonly dropped: boolean
}

/**
 * Adds a token of the grant's own client to the live ones. Above the limit the oldest one goes. Exchanged tokens are not
 * counted: they must not displace a token of the user's client.
 *
 * @throws OAuthError where it must be bound to a key and is not
 */
export function addAccessToken(grant: Grant, fresh: NewAccessToken, now: number, terms: GrantTerms): Added {
  const live = grant.accessTokens.filter(({ expiresAt }) => expiresAt > now)
  const exchanged = live.filter(({ parent }) => parent !== undefined)
  const own = exchanged.length === 0 ? live : live.filter(({ parent }) => parent === undefined)
  const surplus = Math.max(own.length + 1 - terms.maxAccessTokens, 0)
  const newest = newAccessToken(grant, fresh, now, terms)
  // A list that is spread keeps 16 spare places, and this one is stored.
  const kept = own.slice(surplus).concat(newest, exchanged)
  return {
    accessTokens: exchanged.length === 0 ? kept : withoutOrphans(kept),
    expiresIn: newest.expiresAt - now,
    dropped: surplus > 0,
  }
}

/** Takes one access token out of the grant (RFC 7009 2.1), with all tokens that were exchanged for it. */
export function withoutAccessToken(grant: Grant, hash: Hash): Grant {
  const others = grant.accessTokens.filter((issued) => !sameSecret(issued.hash, hash))
  return { ...grant, accessTokens: withoutOrphans(others) }
}

/** The tokens without those whose parent is gone, and without the children of these. */
export function withoutOrphans(tokens: readonly AccessTokenState[]): readonly AccessTokenState[] {
  const kept = tokens.filter(
    ({ parent }) => parent === undefined || tokens.some(({ hash }) => hash === parent),
  )
  return kept.length === tokens.length ? tokens : withoutOrphans(kept)
}
