import { createMemoryStore } from '@grantkit/store-memory'
import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startRedis } from '../../packages/test-servers/src/redis-server.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import { bareSqlite } from './bare-sqlite.ts'
import { type Contender, storeContender } from './contender.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** `pnpm bench stores`: two operations on each store, and on the bare drivers of the SQL databases. */

const GRANTS = 20_000
const ROUNDS = 7
const ROUND_MS = 500
const CONCURRENCIES = [1, 32]

const ids = Array.from({ length: GRANTS }, (_, index) => `bench-${index}`)

/** The table of `pnpm bench stores`. This process has one core, and servers have the other. */
export async function compareStores(): Promise<string> {
  const contenders = await openContenders()
  const lines = [
    `Operations a second, and CPU of this process for one of them; median of ${ROUNDS} interleaved rounds, ${GRANTS} grants`,
    '',
    `| | ${CONCURRENCIES.flatMap((count) => [`find, ${count} at once`, `find + replace, ${count} at once`]).join(' | ')} |`,
    `|---|${'---:|'.repeat(2 * CONCURRENCIES.length)}`,
  ]
  const cells = new Map<Contender, string[]>(contenders.map((contender) => [contender, []]))
  for (const atOnce of CONCURRENCIES)
    for (const operation of ['find', 'change'] as const)
      for (const [contender, speed] of await measure(contenders, operation, atOnce))
        cells
          .get(contender)
          ?.push(`${Math.round(speed.perSecond).toLocaleString('en')}, ${speed.cpu.toFixed(1)} µs`)
  for (const [{ name }, row] of cells) lines.push(`| ${name} | ${row.join(' | ')} |`)
  for (const contender of contenders) await contender.close()
  return lines.join('\n')
}

async function openContenders(): Promise<Contender[]> {
  pinThisProcess(SERVER_CORE)
  const server = await startRedis()
  pinThisProcess(GENERATOR_CORE)
  const redis = await connectToRedis(server.url)
  const closeRedis = async () => {
    redis.destroy()
    await server.close()
  }
  const [durable, fast] = [openSqlite('machine'), openSqlite('process')]
  return [
    await storeContender('memory', createMemoryStore(), ids),
    await storeContender('SQLite, durable', durable.store, ids, () => durable.store.close()),
    bareSqlite(durable.path, ids, 'FULL'),
    await storeContender("SQLite, durability 'process'", fast.store, ids, () => fast.store.close()),
    bareSqlite(fast.path, ids, 'NORMAL'),
    await storeContender('Redis, its log synced at each write', createRedisStore(redis), ids, closeRedis),
    ...(await openPostgres(ids)),
  ]
}

interface Speed {
  readonly perSecond: number
  /** Microseconds of CPU for one operation. */
  readonly cpu: number
}

async function measure(
  contenders: readonly Contender[],
  operation: 'find' | 'change',
  atOnce: number,
): Promise<Map<Contender, Speed>> {
  const measured = new Map<Contender, Speed[]>(contenders.map((contender) => [contender, []]))
  for (const contender of contenders) await round(contender, operation, atOnce)
  for (let count = 0; count < ROUNDS; count++)
    for (const [contender, speeds] of measured) speeds.push(await round(contender, operation, atOnce))
  const medianOf = (speeds: readonly Speed[], of: keyof Speed) =>
    speeds.map((speed) => speed[of]).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0
  return new Map(
    [...measured].map(([contender, speeds]) => [
      contender,
      { perSecond: medianOf(speeds, 'perSecond'), cpu: medianOf(speeds, 'cpu') },
    ]),
  )
}

async function round(contender: Contender, operation: 'find' | 'change', atOnce: number): Promise<Speed> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  let done = 0
  while (performance.now() - begun < ROUND_MS) {
    await contender[operation](atOnce)
    done += atOnce
  }
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (1000 * done) / (performance.now() - begun), cpu: (user + system) / done }
}
