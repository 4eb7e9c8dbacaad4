import { once } from 'node:events'
import { connectToRedis, createRedisStore, type RedisCommands } from '@grantkit/store-redis'
import { Cluster, Redis } from 'ioredis'
import { startRedisCluster } from '../../packages/test-servers/src/redis-cluster.ts'
import { startRedis } from '../../packages/test-servers/src/redis-server.ts'
import { aGrant } from '../../packages/testkit/src/sample-records.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import { SWAP, SWAP_SHA1 } from './swap.ts'
import { throughput } from './throughput.ts'

/**
 * `pnpm bench redis`: the cost of two methods of the Store port and of their bare commands, on node-redis and ioredis,
 * on a single node and on a cluster of three.
 */

const CONCURRENCIES = [1, 32, 256]
const ROUNDS = 5
const KEYS = 1000
const END = Math.floor(Date.now() / 1000) + 3600

type Work = () => Promise<unknown>

interface Contender {
  readonly name: string
  readonly read: Work
  readonly swap: Work
}

const grant = aGrant({ scopes: ['openid', 'profile', 'courses:read', 'courses:write', 'students:read'] })
const record = `${'v'.repeat(22)}${JSON.stringify({ schema: 1, value: grant })}`
const anyKey = () => `bench:${Math.floor(Math.random() * KEYS)}`
/** Writes the same value again, so that every swap succeeds, also under concurrency. */
const swapArguments = ['v'.repeat(22), record, String(END)] as const

/** The table of `pnpm bench redis`. The servers have one core, and this process, the client, has the other. */
export async function compareRedisClients(): Promise<string> {
  const one = await compareOn('one node', startRedis)
  const three = await compareOn('a cluster of three', startRedisCluster)
  return `${one}\n\n${three}`
}

async function compareOn(
  deployment: string,
  start: () => Promise<{ url: string; close(): Promise<void> }>,
): Promise<string> {
  pinThisProcess(SERVER_CORE)
  const servers = await start()
  pinThisProcess(GENERATOR_CORE)
  const node = await connectToRedis(servers.url)
  const io = ioClient(servers.url)
  await prepare(io)
  const contenders = [nodeRedis(node), ioRedis(io), await store(node)]
  const lines = [
    `Commands a second on ${deployment}, median of ${ROUNDS} rounds`,
    '',
    `| at once | verb | ${contenders.map(({ name }) => name).join(' | ')} | store / node-redis |`,
    `|---:|---|${contenders.map(() => '---:|').join('')}---:|`,
  ]
  for (const concurrency of CONCURRENCIES)
    for (const verb of ['read', 'swap'] as const) lines.push(await row(contenders, concurrency, verb))
  node.destroy()
  io.disconnect()
  await servers.close()
  return lines.join('\n')
}

async function row(
  contenders: readonly Contender[],
  concurrency: number,
  verb: 'read' | 'swap',
): Promise<string> {
  const works = contenders.map((contender) => contender[verb])
  const medians = await throughput(works, concurrency, ROUNDS)
  const [bare = 1, , own = 0] = medians
  const cells = medians.map((median) => Math.round(median).toLocaleString('en'))
  return `| ${concurrency} | ${verb} | ${cells.join(' | ')} | ${Math.round((100 * own) / bare)} % |`
}

function ioClient(url: string): Redis | Cluster {
  const [, hosts] = url.split('redis+cluster://')
  return hosts === undefined ? new Redis(url) : new Cluster(hosts.split(',').map((host) => `redis://${host}`))
}

async function prepare(io: Redis | Cluster): Promise<void> {
  if (io instanceof Cluster) await once(io, 'ready')
  for (const node of io instanceof Cluster ? io.nodes('master') : [io]) await node.script('LOAD', SWAP)
  for (let index = 0; index < KEYS; index++) await io.set(`bench:${index}`, record)
}

function nodeRedis(redis: RedisCommands): Contender {
  return {
    name: 'node-redis',
    read: () => redis.get(anyKey()),
    swap: () => redis.evalSha(SWAP_SHA1, { keys: [anyKey()], arguments: [...swapArguments] }),
  }
}

function ioRedis(redis: Redis | Cluster): Contender {
  return {
    name: 'ioredis',
    read: () => redis.get(anyKey()),
    swap: () => redis.evalsha(SWAP_SHA1, 1, anyKey(), ...swapArguments),
  }
}

async function store(redis: RedisCommands): Promise<Contender> {
  const { grants } = createRedisStore(redis)
  const ids = Array.from({ length: KEYS }, (_, index) => `bench-${index}`)
  for (const id of ids) await grants.insert(id, grant, END)
  const anyId = () => ids[Math.floor(Math.random() * KEYS)] as string
  // The same version for all calls: the commands are the same whether it is current or not.
  const seen = { value: grant, version: 'v'.repeat(22) }
  return {
    name: 'the store',
    read: () => grants.find(anyId()),
    swap: () => grants.replace(anyId(), seen, grant, END),
  }
}
