import type { RedisServer } from './redis-server.ts'

/** Several servers, of which one takes over from another. */
export interface RedisDeployment {
  readonly url: string
  /** The server that answers for a key now. */
  primaryOf(key: string): Promise<RedisServer>
  close(): Promise<void>
}
