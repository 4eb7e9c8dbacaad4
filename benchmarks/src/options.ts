import { parseArgs } from 'node:util'
import { TARGETS, type TargetRow } from './targets.ts'
import { WORK_NAMES, type WorkName } from './work.ts'

export interface Options {
  readonly targets: readonly TargetRow[]
  readonly work: readonly WorkName[]
  readonly quick: boolean
  readonly profile: boolean
  readonly effort: Effort
}

/** How long to look. */
export interface Effort {
  readonly rounds: number
  /** How long one round of one target shall take, in seconds. */
  readonly roundSeconds: number
  /** For how long, in seconds, and with how many requests at least a target is warmed up. */
  readonly warmUpSeconds: number
  readonly warmUpRequests: number
  readonly connections: number
  /** Live grants for the memory of one. */
  readonly grants: number
}

const FULL: Effort = {
  rounds: 9,
  roundSeconds: 1,
  warmUpSeconds: 3,
  warmUpRequests: 2000,
  connections: 16,
  grants: 50_000,
}
const QUICK: Effort = {
  rounds: 3,
  roundSeconds: 0.25,
  warmUpSeconds: 0.5,
  warmUpRequests: 300,
  connections: 16,
  grants: 5000,
}

export const USAGE = `pnpm bench [scaling] [options]

  --quick               a rough look, about two minutes
  --only <target,…>     ${TARGETS.map(({ name }) => name).join(', ')}
  --work <name,…>       ${WORK_NAMES.join(', ')}
  --rounds <number>     how often each target is measured
  --profile             writes a CPU profile of each workload of Grantkit to benchmarks/profiles/
  --help`

/** @throws Error that names the argument at fault */
export function readOptions(args: readonly string[]): Options | 'help' | 'scaling' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      work: { type: 'string' },
      rounds: { type: 'string' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  if (positionals[0] === 'scaling') return 'scaling'
  if (positionals[0] !== undefined) throw new Error(`There is no mode ${positionals[0]}\n\n${USAGE}`)
  const effort = values.quick ? QUICK : FULL
  return {
    targets: chosen(values.only, TARGETS, ({ name }) => name),
    work: chosen(values.work, WORK_NAMES, (name) => name),
    quick: values.quick,
    profile: values.profile,
    effort: { ...effort, rounds: Number(values.rounds ?? effort.rounds) },
  }
}

function chosen<T>(names: string | undefined, all: readonly T[], nameOf: (item: T) => string): readonly T[] {
  if (names === undefined) return all
  return names.split(',').map((name) => {
    const found = all.find((item) => nameOf(item) === name)
    if (found === undefined) throw new Error(`${name} is none of ${all.map(nameOf).join(', ')}`)
    return found
  })
}
