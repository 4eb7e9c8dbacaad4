/** Prints the budget of every operation, as measured in this process: `process.ts <calls>`. */
import { createHash } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, sharesOf } from './lines.ts'
import { type Call, operations } from './operations.ts'

/** Microseconds of CPU a call, and how many times the fixed work that is. */
export interface Budget {
  readonly microseconds: number
  readonly ratio: number
  readonly lines: Readonly<Record<Line, number>>
}

const BATCHES = 20
const SWEEPING_MS = 100
const TEXT = 'x'.repeat(1024)
const MESSAGE = JSON.stringify({
  grant_type: 'refresh_token',
  client_id: 'a'.repeat(22),
  refresh_token: 'b'.repeat(90),
})

const calls = Number(process.argv[2])
const session = new Session()
session.connect()
await session.post('Profiler.enable')
// Finer than the default of a millisecond: a call takes some microseconds.
await session.post('Profiler.setSamplingInterval', { interval: 100 })

const reference = await leastCpu(async (count) => Array<Call>(count).fill(fixedWork))
const budgets: Record<string, Budget> = {}
for (const [name, prepare] of Object.entries(await operations())) {
  const microseconds = await leastCpu(prepare)
  const prepared = await prepare(calls * BATCHES)
  await session.post('Profiler.start')
  await make(prepared)
  const { profile } = await session.post('Profiler.stop')
  const shares = Object.entries(sharesOf(profile)).map(([line, share]) => [line, share * microseconds])
  budgets[name] = { microseconds, ratio: microseconds / reference, lines: Object.fromEntries(shares) }
}
console.log(JSON.stringify(budgets))

/** Of all batches, after some that only compile: what disturbs a batch makes it slower, never faster. */
async function leastCpu(prepare: (count: number) => Promise<readonly Call[]>): Promise<number> {
  const measured: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const prepared = await prepare(calls)
    globalThis.gc?.()
    // Other threads still sweep the heap, which has all grants of the process.
    await sleep(SWEEPING_MS)
    const before = process.cpuUsage()
    await make(prepared)
    const { user, system } = process.cpuUsage(before)
    measured.push((user + system) / calls)
  }
  return Math.min(...measured.slice(BATCHES / 4))
}

async function make(prepared: readonly Call[]): Promise<void> {
  for (const call of prepared) await call()
}

/** The same for every commit: one SHA-256 of 1 KB, and one JSON text of the size of a request. */
async function fixedWork(): Promise<void> {
  createHash('sha256').update(TEXT).digest()
  JSON.parse(MESSAGE)
}
