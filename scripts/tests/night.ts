/**
 * `pnpm test:night [shard ...]` runs the tests that need more than npm brings, a shard at a time. What fails runs again alone, twice: a file
 * that fails three times fails the night; one that passes later is named *unsteady*, and is to be mended or removed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { NIGHT } from '@grantkit/test-servers/program-environment'
import { readCommandLine } from '../../apps/reference/src/commands/command-line.ts'
import { COUNTS, type Counts } from './line-reporter.ts'

const SHARDS = ['workerd', 'postgres', 'stores', 'programs', 'browser', 'tarballs', 'proof', 'load']
const USAGE = `pnpm test:night [shard ...] [--with-gate]

Runs the tests that need programs or minutes: ${SHARDS.join(', ')}.

  --with-gate  adds the tests that \`pnpm test\` has just run to the sum at the end`

const ROOT = join(import.meta.dirname, '../..')
/** Ends a shard that hangs. */
const MAX_SECONDS = 1500
const PROGRESS_SECONDS = 25
/** Names the processes that a shard starts: servers that lead a group of their own do not end with it. */
const MARK = randomUUID()

/** Of the report that Vitest writes as JSON. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly success: boolean
  readonly testResults: readonly { readonly name: string; readonly status: string }[]
}

interface Run extends Counts {
  readonly failedFiles: readonly string[]
  /** Errors that no test of a file has caused. */
  readonly brokenOff: boolean
  readonly output: string
}

const { values, positionals } = readCommandLine(USAGE, {
  options: { 'with-gate': { type: 'boolean', default: false } },
  allowPositionals: true,
})
const chosen = positionals.length === 0 ? SHARDS : positionals
const unknown = chosen.filter((name) => !SHARDS.includes(name))
if (unknown.length > 0) throw new Error(`Unknown shards: ${unknown.join(', ')}\n\n${USAGE}`)

const folder = mkdtempSync(join(tmpdir(), 'grantkit-night-'))
const counts: Counts[] = []
const unsteady: string[] = []
const red: string[] = []
for (const shard of chosen) {
  const { passed, skipped, brokenOff, failedFiles, output } = await runShard(shard)
  counts.push({ passed, failed: 0, skipped })
  // Errors outside of tests are of no file: then the whole shard runs again.
  for (const file of brokenOff ? [''] : failedFiles) {
    const name = `${shard} ${file}`.trim()
    const again = [await runShard(shard, file), await runShard(shard, file)]
    const passes = again.filter(({ failed, brokenOff }) => failed === 0 && !brokenOff).length
    if (passes === 0) red.push(name)
    else {
      unsteady.push(name)
      console.log(`Unsteady, it passed ${passes} of 2 times alone: ${name}\n${output}`)
    }
  }
}
rmSync(folder, { recursive: true, force: true })

for (const name of unsteady) console.log(`unsteady: ${name}`)
for (const name of red) console.log(`failed three times: ${name}`)
const all = values['with-gate'] ? [...counts, ...gateCounts()] : counts
const sum = (key: keyof Counts) => all.reduce((total, one) => total + one[key], 0)
// Of what is red, files are counted.
console.log(`${sum('passed')} passed, ${sum('failed') + red.length} failed, ${sum('skipped')} skipped`)
process.exitCode = red.length === 0 ? 0 : 1

/** @param file only this one */
async function runShard(shard: string, file = ''): Promise<Run> {
  const report = join(folder, `${randomUUID()}.json`)
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  console.log(`${shard}${file && `, again: ${file}`}`)
  const vitest = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--config', 'vitest.night.config.ts', '--project', shard],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      ...(file === '' ? [] : [file]),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, [NIGHT]: MARK, FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  let last = ''
  for (const stream of [vitest.stdout, vitest.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      last = String(chunk).trim().split('\n').at(-1) || last
    })
  const progress = setInterval(
    () => console.log(`  ${shard} ${seconds()} s: ${last.slice(0, 120)}`),
    PROGRESS_SECONDS * 1000,
  )
  const limit = setTimeout(() => vitest.kill('SIGKILL'), MAX_SECONDS * 1000)
  const exit = await ended(vitest)
  clearInterval(progress)
  clearTimeout(limit)
  endWhatIsLeft()
  const run = readRun(report, exit, output)
  if (run.failed > 0 || run.brokenOff) console.log(output)
  console.log(`${shard}: ${run.passed} tests passed, ${run.failed} failed, in ${seconds()} s`)
  return run
}

async function ended(vitest: ChildProcess): Promise<number | null> {
  const [code] = await once(vitest, 'exit')
  return code as number | null
}

function readRun(file: string, exit: number | null, output: string): Run {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failedFiles: [], brokenOff: true, output }
  }
  const failedFiles = report.testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(ROOT, name))
  return {
    passed: report.numPassedTests,
    // A file whose hooks fail has no failed test.
    failed: Math.max(report.numFailedTests, failedFiles.length),
    skipped: report.numPendingTests,
    failedFiles,
    brokenOff: exit !== 0 && failedFiles.length === 0,
    output,
  }
}

/** On Linux, where it can be seen. */
function endWhatIsLeft(): void {
  for (const file of globSync('/proc/[0-9]*/environ')) {
    const pid = Number(file.split('/')[2])
    if (pid === process.pid || !environmentIn(file).includes(`${NIGHT}=${MARK}`)) continue
    console.log(`  still running, and ended: ${commandOf(pid)}`)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
}

function environmentIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\0')
  } catch {
    // Of another user, or it has ended.
    return []
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)
  } catch {
    return String(pid)
  }
}

function gateCounts(): readonly Counts[] {
  const files = globSync(`{packages,apps,proof}/*/${COUNTS}`, { cwd: ROOT })
  return [...files, `docs/${COUNTS}`].map(
    (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Counts,
  )
}
