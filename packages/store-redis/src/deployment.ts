import { createClient, createCluster, createSentinel } from '@redis/client'
import type { RedisCommands } from './commands.ts'
import type { Pinged } from './heartbeat.ts'
import { CachedReplies, type ReadCache } from './read-cache.ts'
import type { Hosts, RedisUrl } from './redis-url.ts'
import type { ConfigurableRedis } from './settings-warnings.ts'

/** The client for one kind of deployment, not connected yet. */
export interface Deployment {
  readonly redis: RedisCommands & {
    on(event: 'error', listener: (error: Error) => void): unknown
    connect(): Promise<unknown>
    destroy(): unknown
    withCommandOptions(options: { timeout: number }): object
  }
  /** @throws Error if the servers are of another kind than the URL says */
  check(): Promise<void>
  nodes(): ConfigurableRedis[]
  /** The connections that need a heartbeat; sentinels report a lost primary themselves. */
  watched(): Pinged[]
}

/** @throws Error for an unknown kind of URL */
export function deploymentOf(url: RedisUrl, readCache?: ReadCache): Deployment {
  const cache = readCache && { clientSideCache: new CachedReplies(readCache) }
  const options = { ...COMMON, ...cache }
  if (url.kind === 'node') return node(url.url, options)
  return url.kind === 'cluster' ? cluster(url, options) : sentinel(url, url.name, options)
}

/** The store has its own time limit, which also covers the wait for a connection. */
const COMMON = { commandOptions: { timeout: 0 } }
const CONNECTION = { disableOfflineQueue: true }
/** The heartbeat keeps connections busy, so this timeout only hits a connection that gets no answer at its start. */
const SOCKET = { connectTimeout: 2000, socketTimeout: 3000, reconnectStrategy }

type Options = typeof COMMON & { clientSideCache?: CachedReplies }

function node(url: string, options: Options): Deployment {
  const redis = createClient({ url, ...options, ...CONNECTION, socket: SOCKET })
  return { redis, check: () => refuseClusterNode(redis), nodes: () => [redis], watched: () => [redis] }
}

/** It has some of the keys, and answers MOVED for the others: half of the requests would fail. */
async function refuseClusterNode(redis: { info(section: string): Promise<string> }): Promise<void> {
  // A role may lack INFO.
  const info = await redis.info('cluster').catch(() => '')
  if (info.includes('cluster_enabled:1'))
    throw new Error(
      'This server is a node of a Redis Cluster: the URL must begin with redis+cluster:// (rediss+cluster:// for TLS)',
    )
}

/** Their clients find the servers by their kind. */
const NO_CHECK = async () => {}

function cluster({ hosts, ...login }: Hosts, options: Options): Deployment {
  const redis = createCluster({
    ...options,
    rootNodes: hosts.map((host) => ({ socket: { ...SOCKET, ...host, tls: login.tls } })),
    defaults: { ...CONNECTION, ...connectionOf(login) },
    topologyRefreshOnReconnectionAttemptStrategy: REFRESH_MS,
  })
  const connected = () => redis.masters.flatMap(({ client }) => (client === undefined ? [] : [client]))
  return { redis, check: NO_CHECK, nodes: connected, watched: connected }
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
  return { redis, check: NO_CHECK, nodes: () => [redis], watched: () => [] }
}

/** Short compared with the seconds until a replica takes over for a lost primary. */
const REFRESH_MS = 500
const SCAN_MS = 1000

function connectionOf({ tls, username, password }: Omit<Hosts, 'hosts'>) {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    socket: { ...SOCKET, tls },
  }
}

/** Short delays first, two seconds at most, and randomized so that replicas do not reconnect all at once. */
function reconnectStrategy(attempts: number): number {
  return Math.min(50 * 2 ** attempts, 2000) * (0.5 + Math.random() / 2)
}
