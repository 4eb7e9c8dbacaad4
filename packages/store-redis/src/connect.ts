import { within } from './attempt.ts'
import type { RedisCommands } from './commands.ts'
import { deploymentOf, type ReadCache } from './deployment.ts'
import { reconnectWhenSilent } from './heartbeat.ts'
import { parseRedisUrl } from './redis-url.ts'
import type { ConfigurableRedis } from './settings-warnings.ts'

export interface ConnectOptions {
  /** Hears of connections that broke; the client reconnects by itself. */
  readonly onError?: (error: Error) => void
  /** Keep records that were read in this process until Redis says that they changed. Default: none is kept. */
  readonly readCache?: ReadCache
}

/** A connection to Redis, however it is deployed. */
export interface RedisConnection extends RedisCommands {
  /** The client of `@redis/client` underneath, for what else an application keeps in Redis. Its commands time out too. */
  readonly client: object
  /** The primaries. */
  nodes(): ConfigurableRedis[]
  /** Lets go at once. */
  destroy(): void
}

const CONNECT_MS = 5000
const COMMAND_MS = 500

/**
 * Connects the way an authorization server needs it: a command fails at once while there is no connection, rather
 * than wait in a queue and run when nobody waits for it any more; a connection that broke or went silent is made anew.
 *
 * @param url `redis://`, `redis+cluster://` or `redis+sentinel://`, `rediss` for TLS; see the README
 * @throws Error when Redis cannot be reached now
 */
export async function connectToRedis(
  url: string,
  { onError = () => {}, readCache }: ConnectOptions = {},
): Promise<RedisConnection> {
  const { redis, nodes, watched } = deploymentOf(parseRedisUrl(url), readCache)
  let reason = ''
  redis.on('error', (error) => {
    reason = error.message
    onError(error)
  })
  try {
    await within(CONNECT_MS, redis.connect())
  } catch (cause) {
    redis.destroy()
    throw new Error(`Redis cannot be reached: ${reason}`, { cause })
  }
  const stop = reconnectWhenSilent(watched)
  const destroy = () => {
    stop()
    redis.destroy()
  }
  const client = redis.withCommandOptions({ timeout: COMMAND_MS })
  return Object.assign(Object.create(redis) as RedisCommands, { client, nodes, destroy })
}
