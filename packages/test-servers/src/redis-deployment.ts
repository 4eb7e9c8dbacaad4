import type { RedisServer } from './redis-server.ts'

/** Several servers with failover. */
export interface RedisDeployment {
  readonly url: string
  /** The server that holds a key now. */
  primaryOf(key: string): Promise<RedisServer>
  close(): Promise<void>
}
