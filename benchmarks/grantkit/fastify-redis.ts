import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startRedis } from '../redis/server.ts'
import type { StartTarget } from '../src/target.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify on records in a Redis of its own. */
export const start: StartTarget = async (port) => {
  const redis = await connectToRedis(await startRedis(port + 1))
  // A disk that stalls for a second is the machine's affair, and no reason to end a run of half an hour.
  const store = createRedisStore(redis, { commandTimeout: 10_000 })
  return grantkitTarget(port, (service) => serve(service, port), store)
}
