import { type Attempt, type FindingName, verdictOf } from '@grantkit/explain'

/** An attempt without a user that nothing has refused, and whose next step is overdue. */
export interface OverdueAttempt {
  readonly finding: string
  /** What a verdict needs, for it to be the same: few rows. */
  readonly steps: Attempt['steps']
}

const WITHOUT_USER: ReadonlySet<string> = new Set<FindingName>([
  'never_requested',
  'sign_in_left',
  'sign_in_repeated',
])

/** A third sign-in page makes the verdict `sign_in_repeated`. */
const MAX_STEPS = 3

/** @param attempts all in memory: those of one client explain each other @param now epoch seconds */
export function overdueAttempts(attempts: readonly Attempt[], now: number): OverdueAttempt[] {
  const ofClient = Map.groupBy(
    attempts.flatMap(({ steps }) => steps),
    ({ clientId }) => clientId,
  )
  return attempts
    .filter(({ steps }) => steps.every(({ subject }) => subject === undefined))
    .map(({ steps }) => {
      const finding = verdictOf(steps, now, ofClient.get(steps.at(-1)?.clientId)).id
      return { finding, steps: steps.filter(isDecisive).slice(0, MAX_STEPS) }
    })
    .filter(({ finding }) => WITHOUT_USER.has(finding))
}

function isDecisive({ step }: Attempt['steps'][number]): boolean {
  return step === 'registered' || step === 'sign_in_shown'
}
