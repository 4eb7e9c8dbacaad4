/**
 * The thread that sends. It turns without sleeping, at the lowest priority: what shares its core, such as a database, runs
 * whenever it has something to do. A priority belongs to a thread, so the processes that others start do not inherit it.
 */
import { setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { poissonArrivals } from './arrivals.ts'
import { EXCHANGES, type ExchangeName } from './exchange.ts'
import { Lanes } from './lanes.ts'
import { openLoop } from './open-loop.ts'

export interface GeneratorInput {
  readonly port: number
  readonly exchange: ExchangeName
  /** One for each exchange. */
  readonly requests: readonly string[]
  readonly connections: number
}

export type Round =
  /** Each connection sends its next request after the response. */
  | { readonly loop: 'closed'; readonly seconds: number; readonly connections: number }
  | { readonly loop: 'open'; readonly seconds: number; readonly rate: number; readonly seed: number }

export interface Sent {
  readonly error?: string
  /** Responses per second. */
  readonly rate?: number
  readonly counts?: Uint32Array<ArrayBuffer>
  readonly maxOutstanding?: number
  readonly unanswered?: number
  readonly maxPause?: number
}

/** Responses are awaited this long after the last arrival, in milliseconds. */
const PATIENCE = 3000

setPriority(19)
const { port, exchange, requests, connections } = workerData as GeneratorInput
const lanes = await Lanes.open(port, connections, requests.map(EXCHANGES[exchange]))

parentPort?.on('message', async (round: Round) => {
  const sent = Promise.race([lanes.failure, round.loop === 'closed' ? closed(round) : open(round)])
  parentPort?.postMessage(await sent.catch((error: Error): Sent => ({ error: error.message })))
})

async function open({ rate, seconds, seed }: Round & { loop: 'open' }): Promise<Sent> {
  const arrivals = poissonArrivals(rate, seconds, seed)
  const { histogram, ...result } = await openLoop({
    arrivals,
    begin: (ended) => lanes.begin(ended),
    patience: PATIENCE,
  })
  return { ...result, counts: histogram.counts }
}

async function closed({ seconds, connections }: Round & { loop: 'closed' }): Promise<Sent> {
  const start = performance.now()
  const isOver = () => performance.now() - start > seconds * 1000
  let count = 0
  const one = () => new Promise<void>((resolve) => lanes.begin(resolve))
  const chain = async () => {
    for (; !isOver(); count++) await one()
  }
  await Promise.all(Array.from({ length: connections }, chain))
  return { rate: (count / (performance.now() - start)) * 1000 }
}
