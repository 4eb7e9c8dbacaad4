import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startRedisCluster } from '@grantkit/test-servers/redis-cluster'
import type { RedisDeployment } from '@grantkit/test-servers/redis-deployment'
import { startSentinels } from '@grantkit/test-servers/redis-sentinel'
import {
  FROZEN_REPLICA,
  type Injection,
  KILLED_REPLICA,
  ROLLING_RESTART,
  STORE_INJECTIONS,
} from './injections.ts'

/** A Redis of its own for the replicas, and what can happen to it. */
export interface Deployment {
  /** The settings of the service. */
  readonly environment: Record<string, string>
  readonly injections: readonly Injection[]
  /** Whether the replicas share a database too, and so a school. */
  readonly oneSchool: boolean
  close(): Promise<void>
}

const REPLICA_INJECTIONS = [ROLLING_RESTART, KILLED_REPLICA, FROZEN_REPLICA]

/** One Postgres for everything. Each replica may hold twenty connections. */
export async function onPostgres(): Promise<Deployment> {
  const server = await startPostgres('max_connections=200')
  return {
    environment: { DATABASE_URL: server.url, STORE_URL: server.url },
    oneSchool: true,
    injections: [...REPLICA_INJECTIONS, crashOfPostgres(server)],
    close: server.close,
  }
}

/** The Redis of the test cluster itself, behind its faulty network. */
const single = async (): Promise<Deployment> => ({
  environment: {},
  oneSchool: false,
  injections: [...STORE_INJECTIONS, ...REPLICA_INJECTIONS],
  close: async () => {},
})

export const DEPLOYMENTS = {
  redis: single,
  sentinel: async () => withFailover(await startSentinels()),
  cluster: async () => withFailover(await startRedisCluster()),
  postgres: onPostgres,
} satisfies Record<string, () => Promise<Deployment>>

function withFailover(redis: RedisDeployment): Deployment {
  return {
    environment: { STORE_URL: redis.url, WAIT_REPLICAS: '1' },
    oneSchool: false,
    injections: [crash(redis), ...REPLICA_INJECTIONS, freeze(redis)],
    close: () => redis.close(),
  }
}

/** Longer than a failover takes. */
const DOWN_MS = 6000

function crash(redis: RedisDeployment): Injection {
  return {
    name: 'a Redis server crashes, and comes back after another one took over',
    async inject() {
      const server = await redis.primaryOf('grantkit:grant:any')
      await server.stop()
      await sleep(DOWN_MS)
      await server.restart()
    },
  }
}

function freeze(redis: RedisDeployment): Injection {
  return {
    name: 'a Redis server stands still, and goes on after another one took over',
    async inject() {
      const server = await redis.primaryOf('grantkit:grant:other')
      server.freeze()
      await sleep(DOWN_MS)
      server.thaw()
    },
  }
}

function crashOfPostgres(server: PostgresServer): Injection {
  return {
    name: 'Postgres crashes and is back after two seconds',
    async inject() {
      await server.stop()
      await sleep(2000)
      await server.restart()
    },
  }
}
