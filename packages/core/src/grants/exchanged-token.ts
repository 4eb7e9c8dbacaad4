import type { AccessTokenState, Grant } from '../kernel/records.ts'

/** The client that holds a token, which may be another than that of the grant (RFC 8693 4.3). */
export function holderOf(grant: Grant, token: Pick<AccessTokenState, 'actor'> | undefined): string {
  return token?.actor?.sub ?? grant.clientId
}

/** The tokens without those whose parent is gone, and without the children of these. */
export function withoutOrphans(tokens: readonly AccessTokenState[]): readonly AccessTokenState[] {
  const kept = tokens.filter(
    ({ parent }) => parent === undefined || tokens.some(({ hash }) => hash === parent),
  )
  return kept.length === tokens.length ? tokens : withoutOrphans(kept)
}

/**
 * A new token of the client itself, beside the live ones. Above the limit the oldest goes. What was exchanged for others
 * is not counted: it must not displace a token of the user's client.
 */
export function withNewest(
  tokens: readonly AccessTokenState[],
  newest: AccessTokenState,
  most: number,
): { readonly accessTokens: readonly AccessTokenState[]; readonly dropped: boolean } {
  const exchangedToken = tokens.filter(({ parent }) => parent !== undefined)
  const own = exchangedToken.length === 0 ? tokens : tokens.filter(({ parent }) => parent === undefined)
  const forgotten = Math.max(own.length + 1 - most, 0)
  // A list that is spread keeps 16 spare places, and this one is stored.
  const kept = own.slice(forgotten).concat(newest, exchangedToken)
  return { accessTokens: exchangedToken.length === 0 ? kept : withoutOrphans(kept), dropped: forgotten > 0 }
}
