import { checkAnswers } from './answer-check.ts'
import { drive } from './load.ts'
import { TargetProcess } from './target-process.ts'
import { WORKLOADS, type WorkloadName } from './workloads.ts'

export interface Effort {
  /** How many pairs of processes are started for a row, one after another. */
  readonly starts: number
  /** The rounds of each of those. */
  readonly rounds: number
  /** The duration of one round of one target, in seconds. */
  readonly roundSeconds: number
  /** The least warm-up of a target, in seconds and in requests. */
  readonly warmUpSeconds: number
  readonly warmUpRequests: number
}

/** Keep-alive connections, each with one request at a time. */
export const CONNECTIONS = 16

/** A target file in a checkout of this repository. */
export interface Source {
  readonly name: string
  readonly checkout: string
  readonly file: string
}

export interface Round {
  /** Requests per second. */
  readonly rate: number
  /** Microseconds of server CPU for one request, all threads. */
  readonly cpu: number
}

/** What two sources did in the same second. */
type Pair = readonly [own: Round, baseline: Round]

export interface Measurement {
  readonly target: string
  /** The name of the source that it is compared with. */
  readonly baseline: string
  readonly workload: WorkloadName
  readonly rounds: readonly Pair[]
}

/** Measures two sources in turn. */
export async function measurePair(
  pair: readonly [Source, Source],
  workload: WorkloadName,
  effort: Effort,
): Promise<Measurement> {
  const rounds: Pair[] = []
  for (let start = 0; start < effort.starts; start++) {
    const [target, baseline] = await Promise.all([started(pair[0], workload), started(pair[1], workload)])
    try {
      rounds.push(...(await measureRounds([target, baseline], effort)))
    } finally {
      await Promise.all([target.process.stop(), baseline.process.stop()])
    }
  }
  return { target: pair[0].name, baseline: pair[1].name, workload, rounds }
}

async function started(source: Source, workload: WorkloadName): Promise<Subject> {
  return { source, workload, process: await TargetProcess.start(source.checkout, source.file) }
}

/** A target and a workload. */
interface Subject {
  readonly source: Source
  readonly process: TargetProcess
  readonly workload: WorkloadName
}

/** Each half goes first as often as the other: a machine that slows down steadily favours neither. */
async function measureRounds(
  [target, baseline]: readonly [Subject, Subject],
  effort: Effort,
): Promise<Pair[]> {
  const counts = [await warmUp(target, effort), await warmUp(baseline, effort)] as const
  const rounds: Pair[] = []
  while (rounds.length < effort.rounds) {
    const baselineFirst = rounds.length % 2 === 1
    const first = baselineFirst ? await sendAll(baseline, counts[1]) : undefined
    const own = await sendAll(target, counts[0])
    rounds.push([own, first ?? (await sendAll(baseline, counts[1]))])
  }
  return rounds
}

/** The most milliseconds of a warm-up: a very slow target is measured with less. */
const MAX_WARM_UP = 6000

/** Lets the engine compile the code, and returns the number of requests that fill a round. */
async function warmUp(subject: Subject, effort: Effort): Promise<number> {
  const end = Date.now() + effort.warmUpSeconds * 1000
  let batch = 50
  for (let sent = batch; ; sent += batch) {
    const { rate } = await sendAll(subject, batch)
    const isWarm = sent >= effort.warmUpRequests && Date.now() >= end
    if (isWarm || Date.now() >= end + MAX_WARM_UP)
      return Math.max(CONNECTIONS * 4, Math.ceil(rate * effort.roundSeconds))
    batch = Math.min(Math.max(50, Math.ceil(rate / 4)), 4000)
  }
}

/** Prepares, sends and checks requests. Only the sending is timed. @throws Error that names the target and the workload */
async function sendAll({ source, process, workload }: Subject, count: number): Promise<Round> {
  try {
    const { requests = [] } = await process.ask({ do: 'prepare', workload, count })
    const bytes = requests.map((request) => Buffer.from(request))
    globalThis.gc?.({ type: 'minor' })
    const isExpected = (status: number) => status === WORKLOADS[workload].status
    const before = await process.cpuSeconds()
    const sent = { port: process.port, requests: bytes, connections: CONNECTIONS, isExpected }
    const { seconds, bodies } = await drive(sent)
    const cpuSeconds = (await process.cpuSeconds()) - before
    if (!source.name.startsWith('bare-')) await checkAnswers(process, workload, bodies.map(String))
    return { rate: count / seconds, cpu: (cpuSeconds / count) * 1e6 }
  } catch (cause) {
    throw new Error(`${source.name} failed at ${workload}`, { cause })
  }
}
