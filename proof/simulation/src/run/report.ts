import type { Plan } from '../plan/plan.ts'
import type { Failure } from './check-seed.ts'

interface Origin {
  readonly commit: string
  readonly maxApps: number
  /** The number of the planted fault. */
  readonly fault?: string | undefined
}

/** A failure as lines: what was seen, the smallest history of it, and the command that runs it again. */
export function failureLines(
  { seed, path, plan, fault }: Failure,
  { commit, maxApps, fault: planted }: Origin,
): string[] {
  const { check, verdict, seen, timeline } = fault
  return [
    `seed ${seed} of commit ${commit} is ${verdict} (${check}): ${seen}`,
    ...timeline.slice(0, 12).map((line) => `  ${line}`),
    `  in a run with ${planInWords(plan)}`,
    `  again: pnpm --dir proof simulate --seed ${seed} --path ${path} --apps ${maxApps}${planted ? ` --fault ${planted}` : ''}`,
  ]
}

function planInWords({ apps, clocks, store, rates, incidents }: Plan): string {
  const faults = Object.entries(rates).flatMap(([name, rate]) => (rate > 0 ? [`${name} ${rate}`] : []))
  const parts = [
    `${apps.length} app${apps.length === 1 ? '' : 's'}`,
    `${clocks.length} replica${clocks.length === 1 ? '' : 's'}`,
    `the ${store} store`,
    ...faults,
    ...incidents.map(({ kind, at }) => `${kind} at ${at} ms`),
  ]
  return parts.join(', ')
}
