import { type Size, sizeOf } from './bundle.ts'
import { startWorker } from './running-worker.ts'
import { BARE, type Measured, SIDES } from './sides.ts'
import { chainsOf, type Load, newLoad, run } from './speed.ts'

/** Clients that refresh at once, for the throughput. */
export const CLIENTS = 32

export interface SpeedEffort {
  /** Of requests, one side after the other in each. */
  readonly rounds: number
  readonly starts: number
}

export interface Starts {
  /** Milliseconds; NaN where the system does not say. */
  readonly times: number[]
  /** Bytes after the first answer; NaN where the system does not say. */
  readonly memory: number[]
}

export interface Speed {
  readonly starts: Starts
  readonly one: Load
  readonly many: Load
  /** Bytes after the load. */
  readonly memory: number | undefined
  readonly size: Size
}

const ALL: readonly Measured[] = [...SIDES, BARE]

/** All by name. Each round has all sides, so that a slow minute of the machine is one of each. */
export async function speeds({ rounds, starts }: SpeedEffort): Promise<Map<string, Speed>> {
  const started = await startsOf(starts)
  const workers: Running[] = []
  for (const side of ALL) workers.push(await running(side))
  for (const worker of workers) await measure(worker, newLoad(), newLoad())
  for (let round = 0; round < rounds; round++)
    for (const worker of workers) await measure(worker, worker.one, worker.many)
  const measured = new Map<string, Speed>()
  for (const { side, worker, one, many } of workers) {
    const starts = started.get(side.name) as Starts
    measured.set(side.name, { starts, one, many, memory: worker.memory(), size: await sizeOf(side.worker) })
    await worker.close()
  }
  return measured
}

type Running = Awaited<ReturnType<typeof running>>

async function running(side: Measured) {
  const worker = await startWorker(side)
  return { side, worker, chains: await chainsOf(side, worker.url, CLIENTS), one: newLoad(), many: newLoad() }
}

async function measure({ chains }: Running, one: Load, many: Load): Promise<void> {
  await run(chains.slice(0, 1), 100, one)
  await run(chains, 10, many)
}

async function startsOf(count: number): Promise<Map<string, Starts>> {
  const measured = new Map(ALL.map(({ name }): [string, Starts] => [name, { times: [], memory: [] }]))
  for (let start = 0; start < count; start++)
    for (const side of ALL) {
      const worker = await startWorker(side)
      measured.get(side.name)?.times.push(worker.started ?? Number.NaN)
      measured.get(side.name)?.memory.push(worker.memory() ?? Number.NaN)
      await worker.close()
    }
  return measured
}
