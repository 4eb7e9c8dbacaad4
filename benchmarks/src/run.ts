import { measurePair } from './measure.ts'
import { measureMemory } from './memory.ts'
import type { Options } from './options.ts'
import type { Results } from './results.ts'
import type { TargetRow } from './targets.ts'
import type { WorkName } from './work.ts'

/** One thing to measure, and where its result goes. */
export interface Step {
  readonly title: string
  measure(): Promise<Partial<Pick<Results, 'measurements' | 'memory'>>>
}

/** What a run has to measure still, in its order: workload by workload, so that neighbours of a table are neighbours in time. */
export function stepsLeft(options: Options, { measurements, memory }: Results): Step[] {
  const pairs = options.work.flatMap((work) =>
    options.targets
      .filter((row) => isWanted(row, work, options))
      .filter(({ name }) => !measurements.some((one) => one.work === work && one.target === name))
      .map((row) => pairStep(row, work, options)),
  )
  const fills = options.targets
    .filter(({ keepsGrants = false }) => keepsGrants && options.memory)
    .filter(({ name }) => !memory.some(({ target }) => target === name))
    .map((row) => memoryStep(row, options))
  return [...pairs, ...fills]
}

function isWanted({ only }: TargetRow, work: WorkName, { named }: Options): boolean {
  return named || only === undefined || only.includes(work)
}

function pairStep(row: TargetRow, work: WorkName, options: Options): Step {
  return {
    title: `${work} of ${row.name}`,
    async measure() {
      const measured = await measurePair(row, work, options)
      return { measurements: measured === undefined ? [] : [measured] }
    },
  }
}

function memoryStep(row: TargetRow, { effort }: Options): Step {
  return {
    title: `memory of ${row.name}`,
    async measure() {
      return { memory: [await measureMemory(row, effort)] }
    },
  }
}
