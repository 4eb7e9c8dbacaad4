import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startRedis } from '../redis/server.ts'
import type { StartTarget } from '../src/target.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in its own Redis. */
export const start: StartTarget = async (port) => {
  const redis = await connectToRedis(await startRedis(port + 1))
  // A long limit: a disk that stalls for a second must not end a run of half an hour.
  const store = createRedisStore(redis, { commandTimeout: 10_000 })
  return grantkitTarget(port, (service) => serve(service, port), store)
}
