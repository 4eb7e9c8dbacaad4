import { END, idOf } from '../postgres/bare.ts'
import { quantile } from '../src/statistics.ts'
import { table } from '../src/table.ts'
import type { Growing } from './growing.ts'
import { growingPostgres } from './postgres.ts'
import { growingSqlite } from './sqlite.ts'

/** `pnpm bench growth`: what a change costs among more and more grants, how long it takes, and what a grant takes. */

const SIZES = [1000, 10_000, 100_000, 1_000_000]
const ROUNDS = 7
const ROUND_MS = 1000
const AT_ONCE = 32

type Round = Record<'perSecond' | 'cpu' | 'p50' | 'p99', number>

/** The table: a store after the other. */
export async function measureGrowth(): Promise<string> {
  const rows: string[][] = []
  for (const open of [growingSqlite, growingPostgres]) {
    const growing = await open()
    for (const [index, size] of SIZES.entries()) {
      await growing.fill(SIZES[index - 1] ?? 0, size)
      rows.push([growing.name, ...(await measure(growing, size))])
    }
    await growing.close()
  }
  return table(['', 'grants', 'changes/s', 'CPU, µs', 'bytes a grant', 'p50, ms', 'p99, ms'], rows)
}

async function measure({ grants, bytesPerGrant }: Growing, size: number): Promise<string[]> {
  const { perSecond, cpu, p50, p99 } = await bestRound(async () => {
    const id = idOf(Math.floor(Math.random() * size))
    const seen = await grants.find(id)
    if (seen !== undefined) await grants.replace(id, seen, seen.value, END)
  })
  const numbers = [size, perSecond, cpu, await bytesPerGrant()].map(count)
  return [...numbers, p50.toFixed(1), p99.toFixed(1)]
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

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}
