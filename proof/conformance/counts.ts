import * as z from 'zod'

/** An exported result of a module, as far as it is counted. */
export const ModuleLog = z.object({
  exportedVersion: z.string(),
  testInfo: z.object({
    testName: z.string(),
    variant: z.record(z.string(), z.string()),
    /** The name of the plan in plans.ts. */
    description: z.string(),
    started: z.string(),
    status: z.string(),
    result: z.string().nullish(),
  }),
})
export type ModuleLog = z.output<typeof ModuleLog>

export interface Counts {
  readonly plan: string
  readonly modules: number
  readonly failed: number
  /** The modules that failed. */
  readonly failures: readonly string[]
  /** ISO date of the last module. */
  readonly date: string
  /** The release of the suite. */
  readonly suite: string
}

/** Nothing else is a pass: a module that never ended has no result. */
const PASSED = ['PASSED', 'WARNING', 'REVIEW', 'SKIPPED']

/** The counts of each plan. Of a module that ran twice, the last run counts. */
export function countsOf(logs: readonly ModuleLog[]): Counts[] {
  const plans = Map.groupBy(logs, ({ testInfo }) => testInfo.description)
  return [...plans].map(([plan, ofPlan]) => {
    const ordered = ofPlan.toSorted((a, b) => a.testInfo.started.localeCompare(b.testInfo.started))
    const modules = [...new Map(ordered.map((log) => [nameOf(log), log])).values()]
    const failures = modules.filter(failed).map(({ testInfo }) => testInfo.testName)
    const last = ordered.at(-1) as ModuleLog
    return {
      plan,
      modules: modules.length,
      failed: failures.length,
      failures,
      date: last.testInfo.started.slice(0, 10),
      suite: last.exportedVersion,
    }
  })
}

const nameOf = ({ testInfo: { testName, variant } }: ModuleLog) =>
  `${testName} ${JSON.stringify(Object.entries(variant).sort())}`

const failed = ({ testInfo: { status, result } }: ModuleLog) =>
  status !== 'FINISHED' || !PASSED.includes(result ?? '')
