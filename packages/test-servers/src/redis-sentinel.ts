import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, startEngine } from './engine.ts'
import { cli } from './redis-cli.ts'
import { QUICKLY, type RedisDeployment } from './redis-deployment.ts'
import { startRedis } from './redis-server.ts'
import { handOver } from './unprivileged.ts'

const NAME = 'service'

/** A primary with a replica, and three sentinels that promote the replica if the primary is silent for a time. */
export async function startSentinels(silence = QUICKLY): Promise<RedisDeployment> {
  const primary = await startRedis()
  const replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
  while (!(await cli('-p', `${replica.port}`, 'info', 'replication')).includes('master_link_status:up')) {
    await sleep(50)
  }
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(primary.port, silence)))
  const [first] = sentinels
  // It learns of the replica from the primary, and only then it can promote it.
  while (!(await cli('-p', `${first?.port}`, 'sentinel', 'replicas', NAME)).includes(`${replica.port}`)) {
    await sleep(50)
  }
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    primaryOf: async () => primary,
    failOver: async () => void (await cli('-p', `${first?.port}`, 'sentinel', 'failover', NAME)),
    async close() {
      await Promise.all([...sentinels, primary, replica].map((server) => server.close()))
    },
  }
}

function startSentinel(primaryPort: number, silence: number): Promise<Engine> {
  return startEngine({
    part: 'Redis',
    async options(port, folder) {
      const file = join(folder, 'sentinel.conf')
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
        `sentinel down-after-milliseconds ${NAME} ${silence}`,
        `sentinel failover-timeout ${NAME} 3000`,
      ]
      await writeFile(file, `${lines.join('\n')}\n`)
      // It notes there what it learns.
      await handOver(file)
      return [file, '--sentinel']
    },
    ready: '+monitor',
  })
}
