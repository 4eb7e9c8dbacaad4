import type { Effort, Options } from './options.ts'
import { profileRound } from './profiles.ts'
import { measureRound, type Round, type Subject, warmUp } from './round.ts'
import { median } from './statistics.ts'
import { TargetProcess } from './target-process.ts'
import type { WorkName } from './work.ts'

/** The median over the rounds, for every number. */
export interface Measurement extends Round {
  readonly target: string
  readonly work: WorkName
  /** Requests per second, round by round. */
  readonly rounds: readonly number[]
}

/**
 * Measures every target that offers a workload, in turn, round after round, so that noise on the machine affects all
 * alike.
 */
export async function measureWork(
  work: WorkName,
  { targets, effort, profile }: Options,
): Promise<Measurement[]> {
  const subjects = await startAll(targets, work)
  try {
    const counts = new Map<Subject, number>()
    const rounds = new Map<Subject, Round[]>(subjects.map((subject) => [subject, []]))
    for (const subject of subjects) counts.set(subject, await warmUp(subject, effort))
    for (let round = 0; round < effort.rounds; round++) {
      for (const subject of subjects) {
        rounds.get(subject)?.push(await measureRound(subject, counts.get(subject) ?? 1, effort))
      }
    }
    if (profile) await profileAll(subjects, counts, effort)
    return subjects.map((subject) => summary(subject, rounds.get(subject) ?? []))
  } finally {
    await Promise.all(subjects.map(({ process }) => process.stop()))
  }
}

async function profileAll(
  subjects: readonly Subject[],
  counts: ReadonlyMap<Subject, number>,
  effort: Effort,
) {
  for (const subject of subjects) {
    if (subject.row.kind === 'grantkit') await profileRound(subject, counts.get(subject) ?? 1, effort)
  }
}

async function startAll(targets: Options['targets'], work: WorkName): Promise<Subject[]> {
  const started = targets.map(async (row) => ({ row, work, process: await TargetProcess.start(row.file) }))
  const subjects = await Promise.all(started)
  const idle = subjects.filter(({ process }) => !process.work.includes(work))
  await Promise.all(idle.map(({ process }) => process.stop()))
  return subjects.filter((subject) => !idle.includes(subject))
}

function summary({ row, work }: Subject, rounds: readonly Round[]): Measurement {
  const of = (name: keyof Round) => median(rounds.map((round) => round[name]))
  return {
    target: row.name,
    work,
    requestsPerSecond: of('requestsPerSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuPer10k: of('cpuPer10k'),
    serverBusy: of('serverBusy'),
    generatorBusy: of('generatorBusy'),
    stolen: of('stolen'),
    rounds: rounds.map(({ requestsPerSecond }) => requestsPerSecond),
  }
}
