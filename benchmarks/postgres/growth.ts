import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import type { Pool } from 'pg'
import { startPostgres } from '../../packages/test-servers/src/postgres-server.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import { quantile } from '../src/statistics.ts'
import { table } from '../src/table.ts'
import { END, fill, idOf } from './bare.ts'

/** `pnpm bench postgres`: what a change costs among more and more grants, how long it takes, and what a grant takes. */

const SIZES = [1000, 10_000, 100_000]
const ROUNDS = 7
const ROUND_MS = 1000
const AT_ONCE = 32

type Round = Record<'perSecond' | 'cpu' | 'p50' | 'p99', number>

/** The table. The server has one core, and this process, the client, has the other. */
export async function measureGrowth(): Promise<string> {
  pinThisProcess(SERVER_CORE)
  const server = await startPostgres()
  pinThisProcess(GENERATOR_CORE)
  const pool = await connectToPostgres(server.url)
  await migrate(pool)
  const { grants, close } = await createPostgresStore(pool, { commandTimeout: 10_000 })
  const rows: string[][] = []
  for (const [index, size] of SIZES.entries()) {
    await fill(pool, SIZES[index - 1] ?? 0, size)
    const { perSecond, cpu, p50, p99 } = await bestRound(async () => {
      const id = idOf(Math.floor(Math.random() * size))
      const seen = await grants.find(id)
      if (seen !== undefined) await grants.replace(id, seen, seen.value, END)
    })
    const numbers = [perSecond, cpu, await bytesPerGrant(pool)].map((value) => count(value))
    rows.push([count(size), ...numbers, p50.toFixed(1), p99.toFixed(1)])
  }
  close()
  await pool.end()
  await server.close()
  return table(['grants', 'changes/s', 'CPU, µs', 'bytes a grant', 'p50, ms', 'p99, ms'], rows)
}

/** The round with the most changes, because what else runs on the machine only takes away. */
async function bestRound(change: () => Promise<void>): Promise<Round> {
  const rounds: Round[] = []
  for (let index = 0; index <= ROUNDS; index++) rounds.push(await round(change))
  return rounds.reduce((best, other) => (other.perSecond > best.perSecond ? other : best))
}

async function round(change: () => Promise<void>): Promise<Round> {
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let start = begun; start < begun + ROUND_MS; start = performance.now()) {
        await change()
        latencies.push(performance.now() - start)
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  const all = Float64Array.from(latencies)
  return {
    perSecond: (1000 * all.length) / (performance.now() - begun),
    cpu: (user + system) / all.length,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
  }
}

/** Table and indexes. */
async function bytesPerGrant(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT pg_total_relation_size('grantkit_grant') / count(*) AS bytes FROM grantkit_grant`,
  )
  return Number(rows[0].bytes)
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}
