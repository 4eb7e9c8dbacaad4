import { createClient, createCluster, createSentinel } from '@redis/client'
import type { RedisCommands } from './commands.ts'
import type { Pinged } from './heartbeat.ts'
import type { Hosts, RedisUrl } from './redis-url.ts'
import type { ConfigurableRedis } from './settings-warnings.ts'

/** The client of one kind of deployment, not connected yet. */
export interface Deployment {
  readonly redis: RedisCommands & {
    on(event: 'error', listener: (error: Error) => void): unknown
    connect(): Promise<unknown>
    destroy(): unknown
    withCommandOptions(options: { timeout: number }): object
  }
  /** The primaries. */
  nodes(): ConfigurableRedis[]
  /** The connections that nobody else watches over; sentinels tell of a primary that is gone. */
  watched(): Pinged[]
}

/**
 * Redis tells each connection which of the keys that it read were changed since (RESP3 client tracking), so a
 * revocation reaches every replica as fast as the network does. For stores that only guard an API: what changes grants
 * has to read what is there now.
 */
export interface ReadCache {
  readonly maxEntries: number
  /** How long a record is believed without another word, in milliseconds, should the network fail unnoticed. */
  readonly ttl: number
}

/** @throws Error for a URL of no kind */
export function deploymentOf(url: RedisUrl, clientSideCache?: ReadCache): Deployment {
  const options = { ...COMMON, ...(clientSideCache === undefined ? {} : { clientSideCache }) }
  if (url.kind === 'node') return node(url.url, options)
  return url.kind === 'cluster' ? cluster(url, options) : sentinel(url, url.name, options)
}

/** The store has a time limit of its own, which also covers the wait for a connection. */
const COMMON = { commandOptions: { timeout: 0 } }
const CONNECTION = { disableOfflineQueue: true }
/** The heartbeat keeps a connection from being idle, so only one that is not answered at its beginning times out. */
const SOCKET = { connectTimeout: 2000, socketTimeout: 3000, reconnectStrategy }

type Options = typeof COMMON & { clientSideCache?: ReadCache }

function node(url: string, options: Options): Deployment {
  const redis = createClient({ url, ...options, ...CONNECTION, socket: SOCKET })
  return { redis, nodes: () => [redis], watched: () => [redis] }
}

function cluster({ hosts, ...login }: Hosts, options: Options): Deployment {
  const redis = createCluster({
    ...options,
    rootNodes: hosts.map((host) => ({ socket: { ...SOCKET, ...host, tls: login.tls } })),
    defaults: { ...CONNECTION, ...connectionOf(login) },
    topologyRefreshOnReconnectionAttemptStrategy: REFRESH_MS,
  })
  const connected = () => redis.masters.flatMap(({ client }) => (client === undefined ? [] : [client]))
  return { redis, nodes: connected, watched: connected }
}

function sentinel({ hosts, ...login }: Hosts, name: string, options: Options): Deployment {
  const redis = createSentinel({
    ...options,
    name,
    sentinelRootNodes: [...hosts],
    nodeClientOptions: { ...CONNECTION, ...connectionOf(login) },
    sentinelClientOptions: { socket: SOCKET },
    scanInterval: SCAN_MS,
  })
  return { redis, nodes: () => [redis], watched: () => [] }
}

/** A replica takes over some seconds after its primary went; these are short beside that. */
const REFRESH_MS = 500
const SCAN_MS = 1000

function connectionOf({ tls, username, password }: Omit<Hosts, 'hosts'>) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    socket: { ...SOCKET, tls },
  }
}

/** Sooner at first, two seconds at most, and never all replicas at one moment. */
function reconnectStrategy(attempts: number): number {
  return Math.min(50 * 2 ** attempts, 2000) * (0.5 + Math.random() / 2)
}
