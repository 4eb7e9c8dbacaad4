import { checkAnswers } from './answer-check.ts'
import { collectYoung } from './garbage.ts'
import { drive, type LoadResult } from './load.ts'
import type { Effort } from './options.ts'
import { quantile } from './statistics.ts'
import type { TargetProcess } from './target-process.ts'
import type { TargetRow } from './targets.ts'
import { isExpectedStatus, WORK, type WorkName } from './work.ts'

/** The result of one round of a target and a workload. */
export interface Round {
  readonly requestsPerSecond: number
  /** Milliseconds, at the number of connections of the run. */
  readonly p50: number
  readonly p99: number
  /** Microseconds of server CPU, all threads, for one request. */
  readonly cpuMicroseconds: number
  /** The bytes of an answer, its head included. */
  readonly answerBytes: number
  /** CPU seconds per second: near 1, the server is the limit, or the generator may be. */
  readonly serverBusy: number
  readonly generatorBusy: number
  /** Core seconds per second that the host gave to other machines. */
  readonly stolen: number
}

/** A target and a workload. */
export interface Subject {
  readonly row: TargetRow
  readonly process: TargetProcess
  readonly work: WorkName
}

/** The maximum warm-up in milliseconds: a very slow target is measured with less warm-up. */
const MAX_WARM_UP = 6000

/** Lets the engine compile the code, and returns the number of requests that fill a round. */
export async function warmUp(subject: Subject, effort: Effort): Promise<number> {
  const end = Date.now() + effort.warmUpSeconds * 1000
  let batch = 50
  for (let sent = 0; ; sent += batch) {
    const { result } = await send(subject, batch, effort)
    const perSecond = batch / result.seconds
    if (sent >= effort.warmUpRequests && Date.now() >= end) return requestsOfRound(perSecond, effort)
    batch = Math.min(Math.max(50, Math.ceil(perSecond / 4)), 4000)
    if (Date.now() >= end + MAX_WARM_UP) return requestsOfRound(perSecond, effort)
  }
}

function requestsOfRound(perSecond: number, { roundSeconds, connections }: Effort): number {
  return Math.max(connections * 4, Math.ceil(perSecond * roundSeconds))
}

/** @param profilePath the file for the profile; profiling slows the round */
export async function runRound(
  { count, ...subject }: Subject & { readonly count: number },
  effort: Effort,
  profilePath?: string,
): Promise<Round> {
  const { result, cpuSeconds } = await send(subject, count, effort, profilePath)
  return {
    requestsPerSecond: count / result.seconds,
    p50: quantile(result.latencies, 0.5),
    p99: quantile(result.latencies, 0.99),
    cpuMicroseconds: (cpuSeconds / count) * 1e6,
    answerBytes: result.bytes / count,
    serverBusy: cpuSeconds / result.seconds,
    generatorBusy: result.generatorBusy,
    stolen: result.stolen,
  }
}

interface Sent {
  readonly result: LoadResult
  /** CPU seconds of the server. */
  readonly cpuSeconds: number
}

/** @throws Error that names the target and the workload */
async function send(subject: Subject, count: number, effort: Effort, profilePath?: string): Promise<Sent> {
  try {
    return await sendAll(subject, count, effort, profilePath)
  } catch (cause) {
    throw new Error(`${subject.row.name} failed at ${subject.work}`, { cause })
  }
}

/** Prepares, sends and checks requests. Only the sending is timed. */
async function sendAll(
  { row, process, work }: Subject,
  count: number,
  { connections }: Effort,
  profilePath?: string,
): Promise<Sent> {
  const { requests = [] } = await process.ask({ do: 'prepare', work, count })
  const bytes = requests.map((request) => Buffer.from(request))
  collectYoung()
  if (profilePath !== undefined) await process.ask({ do: 'profile' })
  const before = await process.ask({ do: 'measure', collect: 'young' })
  const expected = (status: number) => isExpectedStatus(WORK[work], status)
  const result = await drive({ port: process.port, requests: bytes, connections, expected })
  const after = await process.ask({ do: 'measure', collect: 'none' })
  if (profilePath !== undefined) await process.ask({ do: 'write-profile', path: profilePath })
  const bodies = result.bodies.map(String)
  if (row.kind === 'grantkit' || row.kind === 'peer')
    await checkAnswers({ target: process, work, requests, bodies })
  return { result, cpuSeconds: (after.cpuSeconds ?? 0) - (before.cpuSeconds ?? 0) }
}
