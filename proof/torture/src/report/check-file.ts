import { readFile } from 'node:fs/promises'
import { CHECK_IDS, type CheckId } from '../check-id.ts'
import { type Declared, IDEAL } from '../history/declared.ts'
import { judge } from '../history/judge.ts'
import { HistoryError, type Round, readHistory } from '../history/ndjson.ts'
import { escaped } from './escaped.ts'
import { jsonReport } from './json.ts'
import { junitReport } from './junit.ts'
import { mergeRounds } from './merge.ts'
import { exitCode, type FailOn, type Report } from './report.ts'
import { recheckLine } from './rerun.ts'
import { textReport } from './text.ts'

export interface CheckFileOptions {
  readonly format?: 'text' | 'json' | 'junit' | undefined
  /** Only this check. Default: those that the file names, or each one if it names none. */
  readonly check?: CheckId | undefined
  /** What the server declares, over what the file says. */
  readonly declared?: Partial<Declared> | undefined
  readonly failOn?: FailOn | undefined
}

/** Judges a history file and prints the report. The number is the status of the process: 2 for a file that is none. */
export async function checkFile(
  path: string,
  options: CheckFileOptions,
  print: (text: string) => void,
): Promise<0 | 1 | 2 | 3> {
  const rounds = await readRounds(path)
  if (typeof rounds === 'string') {
    print(escaped(rounds))
    return 2
  }
  const report = reportOf(path, rounds, options)
  print(formatted(report, options))
  return exitCode(report, options.failOn)
}

async function readRounds(path: string): Promise<readonly Round[] | string> {
  try {
    const rounds = readHistory(await readFile(path, 'utf8'))
    return rounds.length === 0 ? `${path} has no operation.` : rounds
  } catch (error) {
    if (error instanceof HistoryError) return `${path} is no history. ${error.message}`
    return `${path} cannot be read: ${error instanceof Error ? error.message : error}`
  }
}

function reportOf(path: string, rounds: readonly Round[], options: CheckFileOptions): Report {
  const judged = CHECK_IDS.flatMap((check) => {
    const own = rounds.filter((round) => concerns(round, check, options))
    return own.length === 0 ? [] : [{ check, own }]
  })
  const findings = judged.map(({ check, own }) => {
    const found = own.map((round) =>
      judge(check, round.operations, { ...IDEAL, ...round.declared, ...options.declared }),
    )
    return { ...mergeRounds(found), rerun: recheckLine(path, check) }
  })
  const seeds = new Set(rounds.flatMap(({ seed }) => seed ?? []))
  return {
    issuer: path,
    seed: [...seeds].join(', ') || 'unknown',
    findings,
    rounds: { planned: rounds.length, ended: rounds.length },
  }
}

/** A round without a name is judged by each check, or by the one that is asked for. */
function concerns({ check }: Round, id: CheckId, { check: only }: CheckFileOptions): boolean {
  return (check ?? id) === id && (only ?? id) === id
}

function formatted(report: Report, { format, failOn }: CheckFileOptions): string {
  if (format === 'json') return jsonReport(report)
  return format === 'junit' ? junitReport(report, failOn) : textReport(report).join('\n')
}
