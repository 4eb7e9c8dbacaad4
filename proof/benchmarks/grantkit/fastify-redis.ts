import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startRedis } from '../../../packages/test-servers/src/redis-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in its own Redis, which syncs its log once a second. */
export const start: StartTarget = async (port) => {
  const { url, close } = await onGeneratorCore(() => startRedis('--appendfsync', 'everysec'))
  // A long limit: a disk that stalls for a second must not end a run of half an hour.
  const store = createRedisStore(await connectToRedis(url), { commandTimeout: 10_000 })
  return { ...(await grantkitTarget(port, serve, { store })), close }
}
