/** Runs the tests of the stores against each fault in SQL and Lua, in a copy of the repository. */
import { spawnSync } from 'node:child_process'
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
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { ROOT } from '../packages/publishable.ts'
import { STATEMENT_MUTANTS, type StatementMutant } from './statement-mutants.ts'

const USAGE = `pnpm mutants:statements [<store> ...]

Puts a fault into the SQL or Lua of a store, runs the tests of the store, and tells whether one failed. For sqlite, postgres, redis
and mysql, or the named ones. It works on a copy. Exits with 1 if a fault was not noticed.`

/** A test that fails may leave something behind that keeps the process alive. */
const PATIENCE_MS = 300_000

const { positionals: stores } = readCommandLine(USAGE, { allowPositionals: true })
const chosen = STATEMENT_MUTANTS.filter(({ store }) => stores.length === 0 || stores.includes(store))
const copy = copyOfRepository()
try {
  for (const store of new Set(chosen.map(({ store }) => store))) requireUnharmed(store)
  const rows = chosen.map(tried)
  console.table(rows)
  process.exitCode = rows.every(({ noticed }) => noticed !== 'no') ? 0 : 1
} finally {
  rmSync(copy, { recursive: true })
}

function requireUnharmed(store: string): void {
  const failed = firstFailure(store)
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

function tried({ store, file, fault, from, to }: StatementMutant) {
  const path = join(copy, `packages/store-${store}/src`, file)
  const original = readFileSync(path, 'utf8')
  if (original.split(from).length !== 2)
    throw new Error(`${store}: ${file} must have this text once: ${from}`)
  writeFileSync(
    path,
    original.replace(from, () => to),
  )
  const started = Date.now()
  const failed = firstFailure(store)
  writeFileSync(path, original)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${store}: ${fault}: ${failed ?? 'NOT NOTICED'}`)
  return { store, fault, noticed: failed ?? 'no', seconds }
}

/** The first test that fails, or nothing. */
function firstFailure(store: string): string | undefined {
  const tests = globSync(`packages/store-${store}/test/*.test.ts`, { cwd: copy })
  const files = tests.filter((test) => !test.includes('.long.'))
  const report = join(copy, 'report.json')
  const options = ['--project=parts', '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const vitest = join(copy, 'node_modules/.bin/vitest')
  rmSync(report, { force: true })
  const limits = { timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const
  const { status } = spawnSync(vitest, ['run', ...options, ...files], {
    cwd: copy,
    stdio: 'ignore',
    ...limits,
  })
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
