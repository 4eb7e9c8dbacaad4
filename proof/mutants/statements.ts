/** Runs the tests of the stores against each fault in SQL and Lua, in a copy of the repository. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine } from '@grantkit/reference/command-line'
import { ROOT } from '../../scripts/packages/publishable.ts'
import { during } from '../progress.ts'
import { STATEMENT_MUTANTS, type StatementMutant } from './statement-mutants.ts'

const USAGE = `pnpm --dir proof mutants:statements [<store> ...]

Puts a fault into the SQL or Lua of a store, runs the tests of the store, and tells whether one failed. For sqlite, postgres, redis
and mysql, or the named ones. It works on a copy. Exits with 1 if a fault was not noticed.`

/** A test that fails may leave something behind that keeps the process alive. */
const PATIENCE_MS = 300_000

const { positionals: stores } = readCommandLine(USAGE, { allowPositionals: true })
const chosen = STATEMENT_MUTANTS.filter(({ store }) => stores.length === 0 || stores.includes(store))
console.error('copies the repository')
const copy = copyOfRepository()
try {
  for (const store of new Set(chosen.map(({ store }) => store))) await requireUnharmed(store)
  const rows = []
  for (const mutant of chosen) rows.push(await tried(mutant))
  console.table(rows)
  process.exitCode = rows.every(({ noticed }) => noticed !== 'no') ? 0 : 1
} finally {
  rmSync(copy, { recursive: true })
}

async function requireUnharmed(store: string): Promise<void> {
  const failed = await firstFailure(store, 'without a fault')
  if (failed !== undefined) throw new Error(`${store}: without a fault this fails: ${failed}`)
}

/** What pnpm installed stays where it is: links of the copy lead to its own packages. */
function copyOfRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-mutants-'))
  const skipped = /\/(\.git|\.turbo|dist|\.stryker)$/
  const root = join(ROOT, 'node_modules')
  cpSync(ROOT, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== root && !skipped.test(path),
  })
  symlinkSync(root, join(folder, 'node_modules'))
  return folder
}

async function tried({ store, file, fault, from, to }: StatementMutant) {
  const path = join(copy, `packages/store-${store}/src`, file)
  const original = readFileSync(path, 'utf8')
  if (original.split(from).length !== 2)
    throw new Error(`${store}: ${file} must have this text once: ${from}`)
  writeFileSync(
    path,
    original.replace(from, () => to),
  )
  const started = Date.now()
  const failed = await firstFailure(store, fault)
  writeFileSync(path, original)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${store}: ${fault}: ${failed ?? 'NOT NOTICED'}`)
  return { store, fault, noticed: failed ?? 'no', seconds }
}

/** They take minutes for each mutant. */
const LONG = /(cluster|distributed|faults|isolation|kill|partitions|sentinel)/

/** The first test that fails, or nothing. */
async function firstFailure(store: string, fault: string): Promise<string | undefined> {
  const tests = globSync(`packages/store-${store}/test/*.test.ts`, { cwd: copy })
  const isOfNight = (test: string) => test.endsWith('.night.test.ts')
  const gate = tests.filter((test) => !isOfNight(test))
  const night = tests.filter((test) => isOfNight(test) && !LONG.test(test))
  return (
    (await firstFailureIn(gate, 'vitest.config.ts', `${store}: ${fault}`)) ??
    (await firstFailureIn(night, 'vitest.night.config.ts', `${store}: ${fault}`))
  )
}

async function firstFailureIn(
  files: readonly string[],
  config: string,
  what: string,
): Promise<string | undefined> {
  if (files.length === 0) return undefined
  const report = join(copy, 'report.json')
  const options = [`--config=${config}`, '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const vitest = join(copy, 'node_modules/.bin/vitest')
  rmSync(report, { force: true })
  const limits = { timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const
  const tested = spawn(vitest, ['run', ...options, ...files], { cwd: copy, stdio: 'ignore', ...limits })
  const [status] = await during(what, once(tested, 'exit'))
  if (status === 0) return undefined
  if (!existsSync(report)) return 'The tests never end'
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  return results.find((result) => result.status === 'failed')?.fullName ?? 'A test file does not load'
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}
