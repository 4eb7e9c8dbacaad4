import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Cluster, startCluster } from '@grantkit/reference/cluster'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { freePort } from '@grantkit/test-servers/free-port'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { type RedisServer, startRedis } from '@grantkit/test-servers/redis-server'
import { requireSystemPart } from '@grantkit/test-servers/system-parts'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'

/** Replicas of the service behind an HAProxy, with their own Redis behind a network with faults on demand. */
export interface TestCluster extends Cluster {
  readonly redis: RedisServer
  readonly network: TcpProxy
  /** The addresses of the replicas, without the balancer. */
  readonly origins: readonly string[]
  /** The output of the processes. */
  output(): string
}

/**
 * @param environment further settings; with another `STORE_URL`, this Redis is unused
 * @param skewOf seconds by which the clock of a replica is ahead, asked whenever it starts
 */
export async function startTestCluster(
  count: number,
  environment: Record<string, string> = {},
  skewOf: (index: number) => number = () => 0,
): Promise<TestCluster> {
  const [redis, folder] = await Promise.all([startRedis(), folderInMemory('cluster')])
  const network = await startProxy(redis.port)
  const ports = await Promise.all(Array.from({ length: count + 1 }, freePort))
  const [port = 0, ...replicas] = ports
  let output = ''
  const cluster = await startCluster({
    port,
    replicas,
    haproxy: requireSystemPart('HAProxy'),
    environment: {
      ...PROGRAM_ENVIRONMENT,
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'off',
      STORE_URL: network.url,
      // The replicas share the accounts: each has one epoch.
      DATABASE_URL: `sqlite:${join(folder, 'accounts.sqlite')}`,
      ...environment,
    },
    ownEnvironment: (index) => clockEnvironment(skewOf(index)),
    onOutput(text) {
      output += text
    },
  })
  return {
    ...cluster,
    redis,
    network,
    origins: replicas.map((replica) => `http://127.0.0.1:${replica}`),
    output: () => output,
    async stop() {
      await cluster.stop()
      await network.close()
      await redis.close()
      await rm(folder, { recursive: true })
    },
  }
}

const SKEWED_CLOCK = new URL('./skewed-clock.ts', import.meta.url).href

function clockEnvironment(seconds: number): Record<string, string> {
  if (seconds === 0) return {}
  return { NODE_OPTIONS: `--import=${SKEWED_CLOCK}`, CLOCK_SKEW_SECONDS: `${seconds}` }
}
