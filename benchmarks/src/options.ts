import { readCommandLine, refuse, wholeNumber } from '../../apps/reference/src/commands/command-line.ts'
import { TARGETS, type TargetRow } from './targets.ts'
import { WORK_NAMES, type WorkName } from './work.ts'

const MODES = ['compare', 'scaling', 'redis', 'stores', 'growth', 'sign-ins'] as const
type Mode = (typeof MODES)[number]

export interface Options {
  readonly mode: Mode
  readonly targets: readonly TargetRow[]
  readonly work: readonly WorkName[]
  readonly quick: boolean
  readonly profile: boolean
  readonly memory: boolean
  /** The command names the workloads, so targets are measured on what is else left out of them too. */
  readonly named: boolean
  /** Everything is measured, so the results are saved. */
  readonly complete: boolean
  readonly effort: Effort
}

/** The effort of a run. */
export interface Effort {
  readonly rounds: number
  /** The duration of one round of one target, in seconds. */
  readonly roundSeconds: number
  /** The minimum warm-up of a target, in seconds and in requests. */
  readonly warmUpSeconds: number
  readonly warmUpRequests: number
  readonly connections: number
  /** For the memory of one grant: the number of live grants, and the seconds after which fewer are enough. */
  readonly grants: number
  readonly memorySeconds: number
}

const FULL: Effort = {
  rounds: 7,
  roundSeconds: 0.25,
  warmUpSeconds: 2,
  warmUpRequests: 15_000,
  connections: 16,
  grants: 20_000,
  memorySeconds: 8,
}
const QUICK: Effort = {
  rounds: 2,
  roundSeconds: 0.05,
  warmUpSeconds: 0,
  warmUpRequests: 100,
  connections: 16,
  grants: 1000,
  memorySeconds: 1,
}

const USAGE = `pnpm bench             Grantkit, its peers and the bare frameworks, side by side
pnpm bench scaling     whether Grantkit's cost grows with the number of grants, clients or scopes
pnpm bench stores      find and replace on each store, and on the bare driver
pnpm bench growth      the stores in SQLite and Postgres among 1,000 to 1,000,000 grants
pnpm bench sign-ins    how long a client waits for an ID token while fifty users sign in
pnpm bench redis       two clients of Redis beside the store that is made of one

  --quick               whether every row answers, in some five minutes: its numbers are no good
  --only <target,…>     ${TARGETS.map(({ name }) => name).join(', ')}
  --work <name,…>       ${WORK_NAMES.join(', ')}, memory
  --rounds <number>     how often each target is measured, beside its bare framework
  --profile             a CPU profile of each workload of Grantkit, in benchmarks/profiles/
  --help`

/** Ends the program if an argument is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = readCommandLine(USAGE, {
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      work: { type: 'string' },
      rounds: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  })
  const work = chosen(values.work, [...WORK_NAMES, 'memory' as const], (name) => name)
  const effort = values.quick ? QUICK : FULL
  return {
    mode: modeOf(positionals),
    targets: chosen(values.only, TARGETS, ({ name }) => name),
    work: work.filter((name) => name !== 'memory'),
    memory: work.includes('memory'),
    quick: values.quick,
    profile: values.profile,
    named: values.work !== undefined,
    complete: !values.quick && values.only === undefined && values.work === undefined,
    effort: { ...effort, rounds: wholeNumber(USAGE, '--rounds', values.rounds ?? `${effort.rounds}`) },
  }
}

function modeOf([name = 'compare']: readonly string[]): Mode {
  return MODES.find((mode) => mode === name) ?? refuse(USAGE, `There is no mode ${name}.`)
}

function chosen<T>(names: string | undefined, all: readonly T[], nameOf: (item: T) => string): readonly T[] {
  if (names === undefined) return all
  return names.split(',').map((name) => {
    const found = all.find((item) => nameOf(item) === name)
    if (found === undefined) refuse(USAGE, `${name} is none of ${all.map(nameOf).join(', ')}.`)
    return found
  })
}
