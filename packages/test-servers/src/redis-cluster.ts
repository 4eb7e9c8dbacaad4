import { setTimeout as sleep } from 'node:timers/promises'
import { onFreePort } from './launched-server.ts'
import { cli } from './redis-cli.ts'
import { QUICKLY, type RedisDeployment } from './redis-deployment.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

/** Three primaries with one replica each, which takes over if its primary is silent for a time. */
export async function startRedisCluster(silence = QUICKLY): Promise<RedisDeployment> {
  const nodes = await Promise.all(Array.from({ length: 6 }, startNode))
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`)
  await cli('--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes')
  await settled(nodes)
  // Not before: they greet each other the sooner, the less silence they bear.
  for (const { port } of nodes)
    await cli('-p', `${port}`, 'config', 'set', 'cluster-node-timeout', `${silence}`)
  // A replica: tests end primaries.
  const port = `${nodes.at(-1)?.port}`
  async function linesOf(key: string): Promise<Lines> {
    const slot = Number(await cli('-p', port, 'cluster', 'keyslot', key))
    return linesOfSlot(await cli('-p', port, 'cluster', 'nodes'), slot)
  }
  return {
    url: `redis+cluster://${hosts.slice(0, 3).join(',')}`,
    async primaryOf(key) {
      const { primary: line } = await linesOf(key)
      const primary = nodes.find((node) => node.port === portOf(line))
      if (primary === undefined) throw new Error(`No node answers for ${key}`)
      return primary
    },
    async failOver(key) {
      const { replica } = await linesOf(key)
      await cli('-p', `${portOf(replica)}`, 'cluster', 'failover', 'takeover')
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

function startNode(): Promise<RedisServer> {
  const enabled = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${QUICKLY}`]
  return onFreePort((bus) =>
    startRedis(...enabled, '--cluster-port', `${bus}`, '--cluster-replica-validity-factor', '0'),
  )
}

/** Of the answer of CLUSTER NODES. */
interface Lines {
  readonly primary: string
  readonly replica: string
}

function linesOfSlot(nodes: string, slot: number): Lines {
  const lines = nodes.split('\n')
  const primary = lines.find((line) => {
    const [, , flags = '', , , , , , ...ranges] = line.split(' ')
    const answers = ranges.some((range) => {
      const [from = NaN, to = from] = range.split('-').map(Number)
      return from <= slot && slot <= to
    })
    return flags.includes('master') && answers
  })
  const [id = '-'] = primary?.split(' ') ?? []
  return { primary: primary ?? '', replica: lines.find((line) => line.split(' ')[3] === id) ?? '' }
}

function portOf(line: string): number {
  return Number(/:(\d+)@/.exec(line)?.[1])
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
