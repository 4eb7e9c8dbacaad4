import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { estimate } from '../statistics.ts'
import { TargetProcess } from '../target-process.ts'
import { ROOT } from '../targets.ts'
import type { ExchangeName } from './exchange.ts'
import type { GeneratorInput, Round, Sent } from './generator.ts'
import { Histogram } from './histogram.ts'
import type { LatencyTarget } from './targets.ts'

export interface Effort {
  /** Of each load, all rounds together. */
  readonly seconds: number
  /** The seconds of the warm-up, and of the measurement of the capacity. */
  readonly warmUp: number
  /** Requests per second, the same for all targets. */
  readonly commonRate: number
}

/** A load and what came of it, round by round. */
export interface Load {
  /** Requests per second. */
  readonly rate: number
  readonly histograms: readonly Histogram[]
  readonly maxOutstanding: number
  readonly unanswered: number
  /** Of the generator, in milliseconds. */
  readonly maxPause: number
}

export interface Latency {
  readonly target: string
  readonly exchange: ExchangeName
  /** Responses per second of a closed loop. */
  readonly capacity: number
  readonly half: Load
  readonly common: Load
}

/** Keep-alive connections. A request beyond them waits for one, and its time counts. */
export const CONNECTIONS = 64
/** Of the closed loop. */
const CLOSED_CONNECTIONS = 16
/** After the warm-up. */
const MAX_CAPACITY_SECONDS = 2
export const ROUNDS = 6

export async function measureLatency(target: LatencyTarget, effort: Effort): Promise<Latency[]> {
  const server = await TargetProcess.start(ROOT, target.file)
  const measured: Latency[] = []
  try {
    for (const exchange of target.exchanges) {
      const count = Math.max(CONNECTIONS, exchange === 'refresh' ? target.grants : 0)
      const { requests = [] } = await server.ask({ do: 'prepare', workload: exchange, count })
      const generator = new Generator({ port: server.port, exchange, requests, connections: CONNECTIONS })
      const loads = await measureLoads(generator, {
        ...effort,
        warmUp: effort.warmUp * (target.warmUp ?? 1),
      }).finally(() => generator.end())
      measured.push({ target: target.name, exchange, ...loads })
    }
  } catch (cause) {
    throw new Error(`${target.name} failed`, { cause })
  } finally {
    await server.stop()
  }
  return measured
}

/** The rounds of both loads alternate, so they share the good and the bad moments of the machine. */
async function measureLoads(generator: Generator, { seconds, warmUp, commonRate }: Effort) {
  const capacity = await capacityOf(generator, warmUp)
  const [half, common]: [Sent[], Sent[]] = [[], []]
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const round = { loop: 'open', seconds: seconds / ROUNDS, seed } as const
    half.push(await generator.send({ ...round, rate: capacity / 2 }))
    common.push(await generator.send({ ...round, rate: commonRate }))
  }
  return { capacity, half: loadOf(capacity / 2, half), common: loadOf(commonRate, common) }
}

/** The median of three rounds, after a warm-up that lets the engine compile the code. */
async function capacityOf(generator: Generator, warmUp: number): Promise<number> {
  const seconds = Math.min(warmUp, MAX_CAPACITY_SECONDS)
  const closed = { loop: 'closed', connections: CLOSED_CONNECTIONS } as const
  await generator.send({ ...closed, seconds: warmUp })
  const rates: number[] = []
  while (rates.length < 3)
    rates.push((await generator.send({ ...closed, seconds: seconds / 3 })).rate ?? Number.NaN)
  return estimate(rates).median
}

function loadOf(rate: number, rounds: readonly Sent[]): Load {
  return {
    rate,
    histograms: rounds.map(({ counts }) => new Histogram(counts)),
    maxOutstanding: Math.max(...rounds.map(({ maxOutstanding = 0 }) => maxOutstanding)),
    maxPause: Math.max(...rounds.map(({ maxPause = 0 }) => maxPause)),
    unanswered: rounds.reduce((sum, { unanswered = 0 }) => sum + unanswered, 0),
  }
}

/** The thread that sends. It gets one round at a time. */
class Generator {
  readonly #worker: Worker

  constructor(workerData: GeneratorInput) {
    this.#worker = new Worker(new URL('generator.ts', import.meta.url), { workerData })
  }

  /** @throws Error if an answer was wrong */
  async send(round: Round): Promise<Sent> {
    this.#worker.postMessage(round)
    const [sent]: [Sent] = (await once(this.#worker, 'message')) as never
    if (sent.error !== undefined) throw new Error(sent.error)
    return sent
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
