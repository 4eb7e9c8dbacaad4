import { createHash } from 'node:crypto'
import { connectToRedis, createRedisStore, type RedisCommands } from '@grantkit/store-redis'
import { Cluster, Redis } from 'ioredis'
import { startCluster } from '../../packages/store-redis/test/redis-cluster.ts'
import { startRedis } from '../../packages/store-redis/test/redis-server.ts'
import { aGrant } from '../../packages/testkit/src/sample-records.ts'
import { throughput } from './throughput.ts'

/**
 * `pnpm bench redis`: what the port's two verbs cost beside the bare commands of them, on node-redis and on ioredis, on a
 * node and on a cluster of three.
 */

const CONCURRENCIES = [1, 32, 256]
const ROUNDS = 5
const KEYS = 1000
const END = Math.floor(Date.now() / 1000) + 3600

/** The compare-and-swap as the store does it: the version is the first 22 characters. */
const SWAP = `
local version = redis.call('GETRANGE', KEYS[1], 0, 21)
if version == string.sub(ARGV[2], 1, 22) then return 1 end
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EXAT', ARGV[3])
return 1`
const SHA1 = createHash('sha1').update(SWAP).digest('hex')

type Work = () => Promise<unknown>

interface Contender {
  readonly name: string
  readonly read: Work
  readonly swap: Work
}

const grant = aGrant({ scopes: ['openid', 'profile', 'courses:read', 'courses:write', 'students:read'] })
const record = `${'v'.repeat(22)}${JSON.stringify({ schema: 1, value: grant })}`
const anyKey = () => `bench:${Math.floor(Math.random() * KEYS)}`
/** Writes what is there already, so that every swap succeeds whoever else swaps. */
const swapArguments = ['v'.repeat(22), record, String(END)] as const

for (const [deployment, start] of [
  ['one node', startRedis],
  ['a cluster of three', startCluster],
] as const) {
  const servers = await start()
  const node = await connectToRedis(servers.url)
  const io = servers.url.startsWith('redis+cluster')
    ? new Cluster(
        servers.url
          .replace('redis+cluster://', '')
          .split(',')
          .map((host) => `redis://${host}`),
      )
    : new Redis(servers.url)
  await prepare(io)
  const contenders = [nodeRedis(node), ioRedis(io), await store(node)]
  console.log(`\n${deployment}, commands per second, median of ${ROUNDS} rounds\n`)
  console.log(
    `| concurrency | verb | ${contenders.map(({ name }) => name).join(' | ')} | store / node-redis |`,
  )
  console.log(`|---:|---|${contenders.map(() => '---:|').join('')}---:|`)
  for (const concurrency of CONCURRENCIES) {
    for (const verb of ['read', 'swap'] as const) {
      const medians = await throughput(
        contenders.map((contender) => contender[verb]),
        concurrency,
        ROUNDS,
      )
      const [bare = 1, , own = 0] = medians
      const cells = medians.map((median) => Math.round(median).toLocaleString('en'))
      console.log(`| ${concurrency} | ${verb} | ${cells.join(' | ')} | ${Math.round((100 * own) / bare)} % |`)
    }
  }
  node.destroy()
  io.disconnect()
  await servers.close()
}

async function prepare(io: Redis | Cluster): Promise<void> {
  const nodes = io instanceof Cluster ? io.nodes('master') : [io]
  if (io instanceof Cluster) await new Promise((ready) => io.once('ready', ready))
  for (const each of io instanceof Cluster ? io.nodes('master') : nodes) await each.script('LOAD', SWAP)
  for (let index = 0; index < KEYS; index++) await io.set(`bench:${index}`, record)
}

function nodeRedis(redis: RedisCommands): Contender {
  return {
    name: 'node-redis',
    read: () => redis.get(anyKey()),
    swap: () => redis.evalSha(SHA1, { keys: [anyKey()], arguments: [...swapArguments] }),
  }
}

function ioRedis(redis: Redis | Cluster): Contender {
  return {
    name: 'ioredis',
    read: () => redis.get(anyKey()),
    swap: () => redis.evalsha(SHA1, 1, anyKey(), ...swapArguments),
  }
}

async function store(redis: RedisCommands): Promise<Contender> {
  const { grants } = createRedisStore(redis)
  const ids = Array.from({ length: KEYS }, (_, index) => `bench-${index}`)
  for (const id of ids) await grants.insert(id, grant, END)
  const anyId = () => ids[Math.floor(Math.random() * KEYS)] as string
  // One version for all: whether it is the present one does not change what is sent, nor what the script reads.
  const seen = { value: grant, version: 'v'.repeat(22) }
  return {
    name: 'the store',
    read: () => grants.find(anyId()),
    swap: () => grants.replace(anyId(), seen, grant, END),
  }
}
