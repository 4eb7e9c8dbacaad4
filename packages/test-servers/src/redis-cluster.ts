import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { cli } from './redis-cli.ts'
import type { RedisDeployment } from './redis-deployment.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

/** Three primaries with one replica each. A replica takes over after about a second. */
export async function startRedisCluster(): Promise<RedisDeployment> {
  const nodes = await Promise.all(Array.from({ length: 6 }, startNode))
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`)
  await cli('--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes')
  await settled(nodes)
  return {
    url: `redis+cluster://${hosts.slice(0, 3).join(',')}`,
    async primaryOf(key) {
      const [first] = nodes
      const slot = Number(await cli('-p', `${first?.port}`, 'cluster', 'keyslot', key))
      const port = primaryPort(await cli('-p', `${first?.port}`, 'cluster', 'nodes'), slot)
      const primary = nodes.find((node) => node.port === port)
      if (primary === undefined) throw new Error(`No node answers for slot ${slot}`)
      return primary
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

async function startNode(): Promise<RedisServer> {
  const bus = await freePort()
  return startRedis(
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '1000',
    '--cluster-port',
    `${bus}`,
    '--cluster-replica-validity-factor',
    '0',
  )
}

/** @param nodes the answer of CLUSTER NODES */
function primaryPort(nodes: string, slot: number): number | undefined {
  for (const line of nodes.split('\n')) {
    const [, address = '', flags = '', , , , , , ...ranges] = line.split(' ')
    const answers = ranges.some((range) => {
      const [from = NaN, to = from] = range.split('-').map(Number)
      return from <= slot && slot <= to
    })
    if (flags.includes('master') && answers) return Number(/:(\d+)@/.exec(address)?.[1])
  }
  return undefined
}

/** Waits until every node knows every slot, and every replica is in sync with its primary. */
async function settled(nodes: readonly RedisServer[]): Promise<void> {
  for (const { port } of nodes) while (!(await isSettled(`${port}`))) await sleep(50)
}

async function isSettled(port: string): Promise<boolean> {
  const info = await cli('-p', port, 'cluster', 'info')
  const nodes = await cli('-p', port, 'cluster', 'nodes')
  const replication = await cli('-p', port, 'info', 'replication')
  return (
    info.includes('cluster_state:ok') &&
    nodes.split('slave').length === 4 &&
    /state=online|master_link_status:up/.test(replication)
  )
}
