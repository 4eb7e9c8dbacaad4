import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import type { Pool } from 'pg'
import { startPostgres } from '../../packages/test-servers/src/postgres-server.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import { quantile } from '../src/statistics.ts'
import { table } from '../src/table.ts'
import { bytesPerGrant, END, fill, findBare, idOf, replaceBare } from './bare.ts'

/**
 * `pnpm bench postgres`: the cost of two verbs of the Store port and of their bare statements, and whether it grows with
 * the number of grants.
 */

const SIZES = [1000, 10_000, 100_000]
const CONCURRENCIES = [1, 32]
const ROUNDS = 5
const ROUND_MS = 500

type Work = (id: string) => Promise<unknown>

interface Round {
  readonly perSecond: number
  /** Processor time of this process for one call in microseconds: a busy machine disturbs it least. */
  readonly cpu: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** The tables of `pnpm bench postgres`. The server has one core, and this process, the client, has the other. */
export async function comparePostgres(): Promise<string> {
  pinThisProcess(SERVER_CORE)
  const server = await startPostgres()
  pinThisProcess(GENERATOR_CORE)
  const pool = await connectToPostgres(server.url)
  await migrate(pool)
  const costs: string[][] = []
  const bytes: string[][] = []
  for (const [index, size] of SIZES.entries()) {
    await fill(pool, SIZES[index - 1] ?? 0, size)
    const before = await bytesPerGrant(pool)
    for (const concurrency of CONCURRENCIES) costs.push(...(await measure(pool, size, concurrency)))
    bytes.push([size, before, await bytesPerGrant(pool)].map(count))
  }
  await pool.end()
  await server.close()
  return [
    table(
      ['grants', 'at once', 'verb', 'bare/s', 'store/s', 'bare, µs', 'store, µs', 'p50, ms', 'p99, ms'],
      costs,
    ),
    table(['grants', 'bytes a grant', 'after the changes'], bytes),
  ].join('\n\n')
}

async function measure(pool: Pool, size: number, concurrency: number): Promise<string[][]> {
  const { grants, close } = await createPostgresStore(pool, { commandTimeout: 10_000 })
  const bare: Record<string, Work> = {
    find: (id) => findBare(pool, id),
    'find and replace': async (id) => replaceBare(pool, id, await findBare(pool, id)),
  }
  const store: Record<string, Work> = {
    find: (id) => grants.find(id),
    'find and replace': async (id) => {
      const seen = await grants.find(id)
      if (seen !== undefined) await grants.replace(id, seen, seen.value, END)
    },
  }
  const rows: string[][] = []
  for (const verb of Object.keys(store)) {
    const [without, own] = await rounds([bare[verb] as Work, store[verb] as Work], size, concurrency)
    if (without === undefined || own === undefined) continue
    const rates = [without.perSecond, own.perSecond, without.cpu, own.cpu].map(count)
    rows.push([count(size), `${concurrency}`, verb, ...rates, own.p50.toFixed(1), own.p99.toFixed(1)])
  }
  close()
  return rows
}

/** The median of interleaved rounds, so that noise on the machine affects all alike. */
async function rounds(works: readonly Work[], size: number, concurrency: number): Promise<Round[]> {
  const measured: Round[][] = works.map(() => [])
  for (const work of works) await round(work, size, concurrency)
  for (let index = 0; index < ROUNDS; index++)
    for (const [position, work] of works.entries())
      measured[position]?.push(await round(work, size, concurrency))
  return measured.map((results) => {
    const sorted = results.toSorted((one, other) => one.perSecond - other.perSecond)
    return sorted[Math.floor(sorted.length / 2)] as Round
  })
}

async function round(work: Work, size: number, concurrency: number): Promise<Round> {
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const end = begun + ROUND_MS
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let start = performance.now(); start < end; start = performance.now()) {
        await work(idOf(Math.floor(Math.random() * size)))
        latencies.push(performance.now() - start)
      }
    }),
  )
  const all = Float64Array.from(latencies)
  const perSecond = (1000 * latencies.length) / (performance.now() - begun)
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond,
    cpu: (user + system) / latencies.length,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
  }
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}
