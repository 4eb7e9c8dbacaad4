import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cli } from '@grantkit/test-servers/redis-cli'
import type { TestCluster } from './cluster.ts'

/** A fault that is repaired before the promise resolves. */
export interface Injection {
  readonly name: string
  inject(cluster: TestCluster): Promise<void>
}

const OUTAGE_MS = 1000

const RESET_CONNECTIONS: Injection = {
  name: 'every connection to Redis is reset, three times',
  async inject({ network }) {
    for (let time = 0; time < 3; time++) {
      network.reset()
      await sleep(300)
    }
  },
}

const FORGOTTEN_SCRIPTS: Injection = {
  name: 'Redis forgets its scripts, ten times',
  async inject({ redis }) {
    for (let time = 0; time < 10; time++) {
      await cli('-p', `${redis.port}`, 'script', 'flush')
      await sleep(100)
    }
  },
}

/** Faults of the store and of the network to it. */
export const STORE_INJECTIONS: readonly Injection[] = [
  {
    name: 'Redis crashes and is back after a second',
    async inject({ redis }) {
      await redis.stop()
      await sleep(OUTAGE_MS)
      await redis.restart()
    },
  },
  {
    name: 'Redis answers nothing for two seconds',
    async inject({ redis }) {
      redis.freeze()
      await sleep(2 * OUTAGE_MS)
      redis.thaw()
    },
  },
  {
    name: 'the network lets nothing through for two seconds',
    inject: ({ network }) => during(2 * OUTAGE_MS, (bad) => Object.assign(network, { cut: bad })),
  },
  RESET_CONNECTIONS,
  {
    name: 'the network loses the answers of Redis for a second',
    inject: ({ network }) => during(1000, (bad) => Object.assign(network, { loseReplies: bad })),
  },
  {
    name: 'every answer of Redis is 100 to 300 ms late',
    inject: ({ network }) =>
      during(OUTAGE_MS, (bad) => {
        network.latency = bad ? () => 100 + Math.random() * 200 : () => 0
      }),
  },
  {
    name: 'one in ten answers of Redis comes after the time limit of its command',
    inject: ({ network }) =>
      during(2 * OUTAGE_MS, (bad) => {
        network.latency = bad ? () => (Math.random() < 0.1 ? 450 : 0) : () => 0
      }),
  },
  {
    name: 'Redis is a replica for a while and takes no writes',
    async inject({ redis }) {
      await cli('-p', `${redis.port}`, 'replicaof', '127.0.0.1', '1')
      await sleep(OUTAGE_MS)
      await cli('-p', `${redis.port}`, 'replicaof', 'no', 'one')
    },
  },
  {
    name: 'Redis lacks the replicas that its writes need',
    inject: ({ redis }) => configured(redis.port, 'min-replicas-to-write', '1', '0'),
  },
  {
    name: 'Redis is out of memory',
    inject: ({ redis }) => configured(redis.port, 'maxmemory', '1', '0'),
  },
  FORGOTTEN_SCRIPTS,
  {
    name: 'a script of somebody else keeps Redis busy',
    async inject({ redis }) {
      const port = `${redis.port}`
      await cli('-p', port, 'config', 'set', 'busy-reply-threshold', '100')
      const busy = cli('-p', port, 'eval', 'while true do end', '0').catch(() => {})
      await sleep(OUTAGE_MS)
      await cli('-p', port, 'script', 'kill')
      await busy
    },
  },
]

export const ROLLING_RESTART: Injection = {
  name: 'each replica is stopped and started again, one after another',
  async inject(cluster) {
    for (const index of cluster.origins.keys()) await restart(cluster, index, 'SIGTERM')
  },
}

export const KILLED_REPLICA: Injection = {
  name: 'a replica is killed in the middle of its work',
  inject: (cluster) => restart(cluster, 0, 'SIGKILL'),
}

export const FROZEN_REPLICA: Injection = {
  name: 'a replica stands still for three seconds, with requests in its hands',
  async inject(cluster) {
    const replica = cluster.replica(0)
    replica.kill('SIGSTOP')
    await sleep(3000)
    replica.kill('SIGCONT')
  },
}

async function restart(cluster: TestCluster, index: number, signal: NodeJS.Signals): Promise<void> {
  const replica = cluster.replica(index)
  const ended = once(replica, 'exit')
  replica.kill(signal)
  await ended
  await cluster.start(index)
  // The balancer must see it too, before the other replica ends.
  await sleep(1500)
}

async function configured(port: number, setting: string, bad: string, good: string): Promise<void> {
  await cli('-p', `${port}`, 'config', 'set', setting, bad)
  await sleep(OUTAGE_MS)
  await cli('-p', `${port}`, 'config', 'set', setting, good)
}

async function during(milliseconds: number, make: (bad: boolean) => void): Promise<void> {
  make(true)
  await sleep(milliseconds)
  make(false)
}
