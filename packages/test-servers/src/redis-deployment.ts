import type { RedisServer } from './redis-server.ts'

/** Several servers with failover. */
export interface RedisDeployment {
  readonly url: string
  /** The server that holds a key now. */
  primaryOf(key: string): Promise<RedisServer>
  /** Lets a replica take over from that server now, in whatever state it is. */
  failOver(key: string): Promise<void>
  close(): Promise<void>
}

/** Milliseconds until a server that is silent counts as lost. Where a test fails over itself, a busy machine must not. */
export const [QUICKLY, NEVER] = [1000, 600_000]
