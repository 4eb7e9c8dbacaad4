import { parseArgs } from 'node:util'
import type { Effort } from './measure.ts'
import { COMPARED, TARGETS } from './targets.ts'
import { WORKLOAD_NAMES, type WorkloadName } from './workloads.ts'

const FULL: Effort = { starts: 1, rounds: 9, roundSeconds: 0.25, warmUpSeconds: 2, warmUpRequests: 15_000 }
/** For small differences: two processes of the same code differ by more than two rounds of one do. */
const THOROUGH: Effort = { ...FULL, starts: 3 }
const QUICK: Effort = { starts: 1, rounds: 2, roundSeconds: 0.05, warmUpSeconds: 0, warmUpRequests: 100 }

const USAGE = `pnpm --dir proof bench                    Grantkit, its peers and the bare frameworks
pnpm --dir proof bench --before <folder>  this checkout of Grantkit against another one

  --quick             whether every row answers: its numbers are no good
  --only <target,…>   ${TARGETS.join(', ')}
  --work <name,…>     ${WORKLOAD_NAMES.join(', ')}
  --rounds <number>   how often each pair of targets is measured
  --help`

export interface Options {
  /** The folder of another checkout. */
  readonly before?: string
  readonly targets: readonly string[]
  readonly workloads: readonly WorkloadName[]
  /** Everything is measured, so the results are published. */
  readonly complete: boolean
  readonly effort: Effort
}

/** Ends the program if an argument is wrong. */
export function readOptions(args: readonly string[]): Options {
  try {
    return optionsOf(args)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}

function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      before: { type: 'string' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      work: { type: 'string' },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    process.exit(0)
  }
  const { before, quick, only, work, rounds } = values
  const effort = quick ? QUICK : before === undefined ? FULL : THOROUGH
  return {
    before,
    targets: only === undefined && before !== undefined ? COMPARED : chosen(only, TARGETS),
    workloads: chosen(work, WORKLOAD_NAMES),
    complete: !quick && [before, only, work, rounds].every((value) => value === undefined),
    effort: { ...effort, rounds: Number(rounds ?? effort.rounds) },
  }
}

function chosen<Name extends string>(text: string | undefined, all: readonly Name[]): readonly Name[] {
  if (text === undefined) return all
  return text.split(',').map((name) => {
    const found = all.find((one) => one === name)
    if (found === undefined) throw new Error(`${name} is none of ${all.join(', ')}.`)
    return found
  })
}
