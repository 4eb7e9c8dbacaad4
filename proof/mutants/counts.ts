/** The part of a mutation report (mutation-testing-report-schema 2) that is counted. */
export interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

interface Mutant {
  readonly status: string
  /** It runs when its module is imported. A test that imports the module anew does not make it a rule of that test. */
  readonly static?: boolean | undefined
}

export interface Counts {
  readonly mutants: number
  readonly killed: number
  readonly survived: number
  readonly timedOut: number
  /** Constants, and what a comment in the source exempts. They are no part of the score. */
  readonly exempt: number
  /** The share of killed mutants in percent, rounded down. */
  readonly score: number
}

/** More mutants that never end mean a slow machine: those count as survivors. */
const MOST_TIMED_OUT = 0.02

export function countsOf({ files }: Report): Counts {
  const all = Object.values(files).flatMap(({ mutants }) =>
    mutants.map((mutant) => (mutant.static ? 'Ignored' : mutant.status)),
  )
  const count = (...statuses: readonly string[]) => all.filter((status) => statuses.includes(status)).length
  const exempt = count('Ignored', 'CompileError')
  const mutants = all.length - exempt
  const [killed, timedOut] = [count('Killed', 'RuntimeError'), count('Timeout')]
  const survived = count('Survived', 'NoCoverage')
  const accepted = Math.min(timedOut, Math.floor(MOST_TIMED_OUT * mutants))
  const score = mutants === 0 ? 100 : Math.floor((100 * (killed + accepted)) / mutants)
  return { mutants, killed, survived, timedOut, exempt, score }
}
