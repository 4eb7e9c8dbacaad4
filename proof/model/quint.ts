/** Runs Quint on the model: its TypeScript backend alone, which needs no network and no JVM. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export const SPECIFICATION = join(import.meta.dirname, 'grant.qnt')

const MANIFEST = createRequire(import.meta.url).resolve('@informalsystems/quint/package.json')
const PROGRAM = join(dirname(MANIFEST), 'dist/src/cli.js')

export interface Run {
  /** The specification; the model by default. */
  readonly file?: string
  readonly step?: string
  readonly invariants: readonly string[]
  readonly witnesses?: readonly string[]
  readonly traces: number
  readonly steps: number
  /** The same seed gives the same traces. Default: another one each time. */
  readonly seed?: string | undefined
  readonly more?: readonly string[]
}

export interface Finding {
  /** What Quint printed. */
  readonly output: string
  /** The invariants that a state broke; none if all traces are good. */
  readonly violated: readonly string[]
  /** In how many traces a witness was true, in the order of `witnesses`. */
  readonly witnessed: readonly number[]
}

/** @throws Error with the output of Quint, if it could not run the specification */
export function simulate({ file = SPECIFICATION, step = 'step', invariants, ...run }: Run): Finding {
  const { witnesses = [], traces, steps, seed, more = [] } = run
  const options = ['--max-samples', traces, '--max-steps', steps, '--step', step, '--verbosity', 2, ...more]
  const named = seed === undefined ? [] : ['--seed', seed]
  const lists = [...list('--invariants', invariants), ...list('--witnesses', witnesses)]
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [PROGRAM, 'run', file, '--backend=typescript', ...options.map(String), ...named, ...lists],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  const output = stdout + stderr
  const isViolated = output.includes('[violation]')
  if (status !== 0 && !isViolated) throw new Error(output)
  const broken = [...output.matchAll(/^ *❌ (\w+)/gm)].map(([, name]) => String(name))
  return {
    output,
    // Quint does not name an invariant that is alone.
    violated: isViolated && broken.length === 0 ? invariants : broken,
    witnessed: [...output.matchAll(/ was witnessed in (\d+) trace/g)].map(([, times]) => Number(times)),
  }
}

function list(option: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [option, ...values]
}

/** The names of all invariants, from the last part of the specification. */
export function invariantNames(): string[] {
  const text = readFileSync(SPECIFICATION, 'utf8')
  const part = text.slice(text.indexOf('--- What must hold'))
  return [...part.matchAll(/^ {2}val (\w+)/gm)].map(([, name]) => String(name))
}

/** What must happen in some trace, or the invariants say nothing. */
export const WITNESSES: readonly string[] = [
  ...['approve', 'approveAgain', 'deny', 'sendCode', 'sendRefresh', 'sendAgain', 'steal', 'thiefSends'].map(
    does,
  ),
  ...['arrive', 'again', 'answer', 'loseAnswer', 'failBefore', 'loseRequest'].map(does),
  ...['allowDevice', 'allowAgain', 'loseGrant', 'denyDevice', 'sendPoll'].map(does),
  ...['revoke', 'revokeAccess', 'exchange', 'tick', 'clockStep'].map(does),
  ...['issued', 'ended', 'retry', 'late', 'refused', 'pending'].map((result) => `last.result == "${result}"`),
  'last.result == "retry" and last.token.id == NONE',
  'last.result == "late" and last.token.id == NONE',
  'seen.endedBy == "code"',
  'seen.endedBy == "reuse"',
  'last.judged and last.result == "refused"',
]

function does(action: string): string {
  return `last.what == "${action}"`
}
