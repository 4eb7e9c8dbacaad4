import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startRedis } from '../redis/server.ts'
import type { StartTarget } from '../src/target.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify on records in a Redis of its own. */
export const start: StartTarget = async (port) => {
  const store = createRedisStore(await connectToRedis(await startRedis(port + 1)))
  return grantkitTarget(port, (service) => serve(service, port), store)
}
