import { withTimeout } from './attempt.ts'
import type { RedisCommands } from './commands.ts'
import { deploymentOf } from './deployment.ts'
import { reconnectWhenSilent } from './heartbeat.ts'
import type { ReadCache } from './read-cache.ts'
import { parseRedisUrl } from './redis-url.ts'
import type { ConfigurableRedis } from './settings-warnings.ts'
import { refuseInWorker } from './worker.ts'

export interface ConnectOptions {
  /** Called when a connection breaks; the client reconnects by itself. */
  readonly onError?: ((error: Error) => void) | undefined
  /** Caches records in this process until Redis reports a change. Default: no cache. */
  readonly readCache?: ReadCache | undefined
}

/** A connection to Redis, in any kind of deployment. */
export interface RedisConnection extends RedisCommands {
  /**
   * The underlying client of `@redis/client`, for other data of the application in Redis. A command that is not sent
   * within half a second fails; for the reply, set a time limit of your own.
   */
  readonly client: object
  nodes(): ConfigurableRedis[]
  /** Closes all connections at once. */
  destroy(): void
}

const CONNECT_MS = 5000
const COMMAND_MS = 500

/**
 * Connects with settings for an authorization server. Without a connection a command fails at once, instead of waiting
 * in a queue and running after its caller gave up. A broken or silent connection is replaced.
 *
 * @param url `redis://`, `redis+cluster://` or `redis+sentinel://`, `rediss` for TLS; see the README
 * @throws Error when Redis cannot be reached now or is a node of a cluster without `+cluster` in the URL, and always in a Cloudflare Worker
 *
 * @example
 * ```ts
 * import { connectToRedis } from '@grantkit/store-redis'
 *
 * const connection = await connectToRedis('redis://127.0.0.1:6379', { onError: console.error })
 * ```
 */
export async function connectToRedis(
  url: string,
  { onError = () => {}, readCache }: ConnectOptions = {},
): Promise<RedisConnection> {
  refuseInWorker()
  const { redis, check, nodes, watched } = deploymentOf(parseRedisUrl(url), readCache)
  let reason = ''
  redis.on('error', (error) => {
    reason = error.message
    onError(error)
  })
  try {
    await withTimeout(CONNECT_MS, redis.connect())
  } catch (cause) {
    redis.destroy()
    throw new Error(`Redis cannot be reached: ${reason}`, { cause })
  }
  try {
    await withTimeout(CONNECT_MS, check())
  } catch (error) {
    redis.destroy()
    throw error
  }
  const stop = reconnectWhenSilent(watched)
  const destroy = () => {
    stop()
    redis.destroy()
  }
  const client = redis.withCommandOptions({ timeout: COMMAND_MS })
  return Object.assign(Object.create(redis) as RedisCommands, { client, nodes, destroy })
}
