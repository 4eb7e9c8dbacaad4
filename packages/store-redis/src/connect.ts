import { createClient, type RedisClientType } from '@redis/client'

export interface ConnectOptions {
  /** How long a command may take, in milliseconds, before the store counts as unreachable. Default 500. */
  readonly commandTimeout?: number
  /** Hears of connections that broke; the client reconnects by itself. */
  readonly onError?: (error: Error) => void
}

/**
 * Connects to `redis://` or `rediss://` the way an authorization server needs it: a command fails at once while
 * there is no connection, rather than wait in a queue and run when nobody waits for it any more.
 *
 * @throws Error when the server cannot be reached now
 */
export async function connectToRedis(
  url: string,
  { commandTimeout = 500, onError = () => {} }: ConnectOptions = {},
): Promise<RedisClientType> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: commandTimeout },
    socket: { connectTimeout: 2000, reconnectStrategy },
  })
  client.on('error', onError)
  await client.connect()
  return client as unknown as RedisClientType
}

/** Sooner at first, two seconds at most, and never all replicas at one moment. */
function reconnectStrategy(attempts: number): number {
  return Math.min(50 * 2 ** attempts, 2000) * (0.5 + Math.random() / 2)
}
