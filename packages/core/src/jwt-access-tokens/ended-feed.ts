/**
 * The feed of ended tokens, for guards without the store: a grant that ends, or a token that is taken out of one, goes in;
 * a resource server that asks gets what has ended and could still be honoured.
 */
import { z } from 'zod'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import type { FeatureFactory } from '../feature.ts'
import { json } from '../http/http.ts'
import { endpointPath } from '../http/well-known.ts'
import { systemClock } from '../kernel/kernel.ts'
import { OAuthError, refusals } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import type { GrantRecords, Store, Transients } from '../kernel/store.ts'
import { endedBuckets } from './ended-buckets.ts'

export const FEED_REFUSALS = refusals({
  feed_not_for_client: ['invalid_client', 'Only a resource server may ask which tokens have ended'],
})

export interface EndedFeedOptions {
  /** The path below the issuer. Default `/api/oauth/ended`. */
  readonly path?: string | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

export interface EndedFeed {
  /** The store to give to the authorization server: it notes what ends. */
  readonly store: Store
  readonly feature: FeatureFactory
}

/**
 * @throws Error if the store keeps no transients
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { endedFeed, jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
 *
 * const accessTokens = jwtAccessTokens({ issuer, keys, resources: { [issuer]: {} } })
 * const feed = endedFeed(store)
 * const features = [accessTokens.feature, feed.feature]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, scopes, secret, interaction, keys, claims, features },
 *   store: feed.store,
 * })
 * ```
 */
export function endedFeed(store: Store, { path, now = systemClock }: EndedFeedOptions = {}): EndedFeed {
  const { transients } = store
  if (transients === undefined) throw new Error('endedFeed: the store keeps no transients')
  return {
    store: {
      clients: store.clients,
      grants: noting(store.grants, endedBuckets(transients, now).note, now),
      transients,
    },
    feature: (kernel) => ({
      clientEndpoints: [feedEndpoint(path, kernel.store.transients ?? transients, now)],
    }),
  }
}

/** Notes first and writes then: if only the note succeeds, a token dies that was to die. */
function noting(
  grants: GrantRecords,
  note: (entry: string) => Promise<void>,
  now: () => number,
): GrantRecords {
  return {
    find: (id) => grants.find(id),
    insert: (id, value, expiresAt) => grants.insert(id, value, expiresAt),
    scan: () => grants.scan(),
    list: (owner, page) => grants.list(owner, page),
    async replace(id, seen, value, expiresAt) {
      await Promise.all(endedTokens(seen.value, value, now()).map((hash) => note(`${id}.${hash}`)))
      return grants.replace(id, seen, value, expiresAt)
    },
    async remove(id) {
      await note(id)
      return grants.remove(id)
    },
  }
}

/** The hashes of live tokens that a change takes away. */
function endedTokens(before: Grant, after: Grant, now: number): string[] {
  const kept = new Set(after.accessTokens.map(({ hash }) => hash))
  const live = before.accessTokens.filter(({ expiresAt }) => expiresAt > now)
  return live.map(({ hash }) => hash).filter((hash) => !kept.has(hash))
}

/** A form like introspection, since the same resource servers ask with the same credentials. */
function feedEndpoint(path: string | undefined, transients: Transients, now: () => number): ClientEndpoint {
  const { list } = endedBuckets(transients, now)
  return {
    path: endpointPath('ended', path, '/api/oauth/ended'),
    summary: 'The grants and tokens that ended lately, for resource servers that check tokens themselves',
    message: z.object({}),
    confidential: true,
    begin: () => async (client: Client) => {
      if (client.resourceServer !== true) throw new OAuthError(FEED_REFUSALS.feed_not_for_client)
      return json(200, { ended: await list() })
    },
  }
}
