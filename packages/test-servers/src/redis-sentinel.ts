import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { cli } from './redis-cli.ts'
import type { RedisDeployment } from './redis-deployment.ts'
import { kill, launchRedis, startRedis } from './redis-server.ts'

const NAME = 'service'

/** A primary with a replica, and three sentinels that promote the replica after about a second. */
export async function startSentinels(): Promise<RedisDeployment> {
  const primary = await startRedis()
  const replica = await startRedis('--replicaof', '127.0.0.1', `${primary.port}`)
  while (!(await cli('-p', `${replica.port}`, 'info', 'replication')).includes('master_link_status:up')) {
    await sleep(50)
  }
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-sentinel-'))
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const sentinels = await Promise.all(ports.map((port) => startSentinel(folder, port, primary.port)))
  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${NAME}`,
    primaryOf: async () => primary,
    async close() {
      await Promise.all(sentinels.map(kill))
      await Promise.all([primary.close(), replica.close()])
      await rm(folder, { recursive: true })
    },
  }
}

async function startSentinel(folder: string, port: number, primaryPort: number): Promise<ChildProcess> {
  const file = join(folder, `${port}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 3000`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  return launchRedis([file, '--sentinel'], '+monitor')
}
