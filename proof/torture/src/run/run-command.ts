import { writeFile } from 'node:fs/promises'
import type { Typed } from '../command-line.ts'
import { writeHistory } from '../history/ndjson.ts'
import { checkFile } from '../report/check-file.ts'
import { escaped } from '../report/escaped.ts'
import { jsonReport } from '../report/json.ts'
import { junitReport } from '../report/junit.ts'
import { exitCode, type Report } from '../report/report.ts'
import { textReport } from '../report/text.ts'
import { checksOf, declaredOf, optionsOf, UsageError } from './options-typed.ts'
import { planLines, planRun } from './plan.ts'
import { torture } from './torture.ts'

/** Runs a command line. @returns the exit code */
export async function runTorture(issuer: string, typed: Typed): Promise<number> {
  const failOn = failOnOf(typed)
  const options = await optionsOf(issuer, typed)
  if (typed['dry-run']) {
    console.log(planLines(await planRun(options)).join('\n'))
    return 0
  }
  const report = await torture(options)
  if (typed.history !== undefined) await writeFile(typed.history, writeHistory([...report.history]))
  console.log(printed(report, typed))
  for (const reason of report.interruptions)
    console.error(escaped(`A round did not come to an end: ${reason}`))
  return exitCode(report, failOn)
}

/** Judges a history of a file. @returns the exit code */
export function runCheck(file: string, typed: Typed): Promise<number> {
  const format = typed.json ? 'json' : typed.junit ? 'junit' : 'text'
  const [check] = checksOf(typed.only) ?? []
  const declared = declaredOf(typed)
  return checkFile(file, { format, check, declared, failOn: failOnOf(typed) }, console.log)
}

function printed(report: Report, { json, junit }: Typed): string {
  if (json) return jsonReport(report)
  return junit ? junitReport(report) : textReport(report).join('\n')
}

function failOnOf(typed: Typed): 'unsafe' | 'lossy' | 'noisy' {
  const given = typed['fail-on'] ?? 'lossy'
  if (given === 'unsafe' || given === 'lossy' || given === 'noisy') return given
  throw new UsageError('--fail-on is unsafe, lossy or noisy.')
}
