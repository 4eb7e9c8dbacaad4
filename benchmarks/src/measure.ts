import type { Measurement } from './measurement.ts'
import type { Options } from './options.ts'
import { measureRounds, type PairRound } from './pair-rounds.ts'
import { profileRound } from './profiles.ts'
import { type Round, type Subject, warmUp } from './round.ts'
import { median } from './statistics.ts'
import { TargetProcess } from './target-process.ts'
import { type TargetRow, yardstickOf } from './targets.ts'
import type { WorkName } from './work.ts'

/** What a target offers, known from its first start. */
const offers = new Map<string, readonly WorkName[]>()

/** Measures a target and its bare framework in turn. @returns `undefined` if one of them does not offer the workload */
export async function measurePair(
  row: TargetRow,
  work: WorkName,
  options: Pick<Options, 'effort' | 'profile'>,
): Promise<Measurement | undefined> {
  const rows = [row, yardstickOf(row)] as const
  if (rows.some(({ name }) => offers.get(name)?.includes(work) === false)) return undefined
  const started = await Promise.all(rows.map((each) => TargetProcess.start(each.file)))
  try {
    for (const [index, process] of started.entries()) offers.set(rows[index]?.name ?? '', process.work)
    const [target, bare] = rows.map((each, index) => ({ row: each, work, process: started[index] }))
    return started.every((process) => process.work.includes(work))
      ? await measure(target as Subject, bare as Subject, options)
      : undefined
  } finally {
    await Promise.all(started.map((process) => process.stop()))
  }
}

async function measure(
  target: Subject,
  bare: Subject,
  { effort, profile }: Pick<Options, 'effort' | 'profile'>,
): Promise<Measurement> {
  const pair = {
    target: { ...target, count: await warmUp(target, effort) },
    bare: { ...bare, count: await warmUp(bare, effort) },
  }
  const rounds = await measureRounds(pair, effort)
  if (profile && target.row.kind === 'grantkit') await profileRound(target, pair.target.count, effort)
  return { target: target.row.name, against: bare.row.name, work: target.work, ...summary(rounds) }
}

function summary(rounds: readonly PairRound[]): Omit<Measurement, 'target' | 'against' | 'work'> {
  const of = (name: keyof Round) => median(rounds.map(({ target }) => target[name]))
  return {
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuMicroseconds: of('cpuMicroseconds'),
    answerBytes: of('answerBytes'),
    serverBusy: of('serverBusy'),
    generatorBusy: of('generatorBusy'),
    stolen: of('stolen'),
    rounds: rounds.map(({ target }) => target.requestsPerSecond),
    bareRounds: rounds.map(({ bare }) => bare.requestsPerSecond),
  }
}
