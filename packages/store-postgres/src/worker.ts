/** Cloudflare Workers: a connection belongs to the request that opened it, and every later request fails on it or hangs. */
import { IN_WORKER } from '@grantkit/core/store-kit'
import type { Pool } from 'pg'

/**
 * A connection for each statement. No statement waits for the connection of another, since that one could belong to another
 * request; the runtime itself limits the connections of a request.
 */
export const OF_ONE_REQUEST = { max: Number.POSITIVE_INFINITY, maxUses: 1 }

/** @throws Error in a Worker, for a pool that would hand a connection to the next request */
export function refuseSharedConnections({ options }: Pool): void {
  if (!IN_WORKER) return
  const { max, maxUses } = options
  if (max === OF_ONE_REQUEST.max && maxUses === OF_ONE_REQUEST.maxUses) return
  throw new Error(
    'In a Cloudflare Worker a connection to Postgres belongs to the request that opened it: make the pool by ' +
      'connectToPostgres(), or by new Pool({ max: Infinity, maxUses: 1 })',
  )
}
