/** Prints the tests that no mutant needs, from the reports that `pnpm --dir proof mutants` left. */
import { globSync, readFileSync } from 'node:fs'
import { readCommandLine } from '@grantkit/reference/command-line'
import { ROOT } from '../../scripts/packages/publishable.ts'

const USAGE = `pnpm --dir proof mutants:tests

Prints the tests that were never the first to fail for a mutant, by their file. It reads the reports that \`pnpm --dir proof mutants\` left, so
run that for every module first: a test may kill a mutant of a module without a report.`

/** The part of a mutation report (mutation-testing-report-schema 2) that says which test killed what. */
export interface Kills {
  readonly files: Readonly<
    Record<string, { readonly mutants: readonly { readonly killedBy?: readonly string[] | undefined }[] }>
  >
  readonly testFiles: Readonly<
    Record<string, { readonly tests: readonly { readonly id: string; readonly name: string }[] }>
  >
}

/**
 * Each run of a mutant ends with the first test that fails, so the tests that are named once in any report kill all mutants
 * that are killed.
 *
 * @returns the other tests by their file, in the order of the reports
 */
export function testsWithoutKills(reports: readonly Kills[]): ReadonlyMap<string, readonly string[]> {
  const kills = new Map<string, Map<string, boolean>>()
  for (const { files, testFiles } of reports) {
    const killers = new Set(Object.values(files).flatMap(killersOf))
    for (const [file, { tests }] of Object.entries(testFiles)) {
      const ofFile = kills.get(file) ?? new Map<string, boolean>()
      for (const { id, name } of tests) ofFile.set(name, ofFile.get(name) || killers.has(id))
      kills.set(file, ofFile)
    }
  }
  return new Map(
    [...kills].map(([file, tests]) => [file, [...tests.keys()].filter((name) => !tests.get(name))]),
  )
}

function killersOf({ mutants }: Kills['files'][string]): readonly string[] {
  return mutants.flatMap(({ killedBy = [] }) => killedBy)
}

if (import.meta.main) {
  readCommandLine(USAGE, {})
  const names = globSync('.grantkit/mutants/*-report.json', { cwd: ROOT }).sort()
  if (names.length === 0)
    throw new Error('There is no report: run `pnpm --dir proof mutants` with every module first.')
  const reports = names.map((name) => JSON.parse(readFileSync(`${ROOT}/${name}`, 'utf8')) as Kills)
  for (const [file, tests] of testsWithoutKills(reports))
    if (tests.length > 0) console.log([file, ...tests.map((test) => `  ${test}`), ''].join('\n'))
  console.log(`By ${names.length} reports.`)
}
