import {
  type Attempt,
  createFlightRecorder,
  type FindingName,
  type StepEvent,
  verdictOf,
} from '@grantkit/explain'
import { MINUTE_MS } from '../config/time-units.ts'
import type { Database } from '../database/database.ts'
import { keySuffixes, rowBudget, rowQueue } from '../database/row-queue.ts'
import type { AttemptStepRow } from '../database/tables.ts'
import type { ServiceEvent } from '../events.ts'
import { type NumberedStep, pruneAttempts, rowOf } from './attempt-rows.ts'

/**
 * Records the steps of sign-in attempts. All of them are in memory, within the limits of the recorder. The database
 * gets the attempts of signed-in users and, within a budget, what unauthenticated callers were refused or left.
 */
export interface AttemptRecording {
  /** Records a step, and forgets a removed account. Never throws, never waits. */
  onEvent(event: ServiceEvent): void
  /** The steps of an attempt in the memory of this process, as the rows that they are or would be. */
  inMemory(reference: string): readonly AttemptStepRow[]
  /** The same for all attempts of a client. */
  inMemoryOf(clientId: string): readonly AttemptStepRow[]
  /** Resolves when all rows so far are in the database, or the database is unreachable. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface RecordingOptions {
  /** How many days the steps of a user are kept. */
  readonly days: number
  /** Called once for each outage of the database, and about steps that are lost. */
  readonly onWarning: (warning: string) => void
}

/** Rows in a minute for one user, for one reason of unauthenticated callers, and for all their reasons together. */
const OF_USER = 60
const OF_REASON = 3
const OF_UNAUTHENTICATED = 20

const DAYS_OF_UNAUTHENTICATED = 3
/** Rows that wait while the database is unreachable; one has about 500 bytes. */
const MAX_WAITING = 5000
const MAX_WAITING_UNAUTHENTICATED = 1000

const PRUNE_MS = 10 * MINUTE_MS

export function attemptRecording(
  database: Database,
  { days, onWarning }: RecordingOptions,
): AttemptRecording {
  const recorder = createFlightRecorder()
  const suffix = keySuffixes()
  const rows = { days, suffix }
  let count = 0
  const budget = rowBudget()
  const written = writtenSteps()
  /** Apart, because the steps before them still have to come along with the user. */
  const writtenOverdue = writtenSteps()
  const queue = rowQueue<AttemptStepRow>({
    name: 'record of sign-in attempts',
    insert: (batch) => insert(database, batch),
    onWarning,
  })
  /** The recorder keeps the members of an event as they are. */
  const stepsOf = (reference: string) =>
    (recorder.attempt(reference)?.steps ?? []) as unknown as readonly NumberedStep[]

  /** The steps before the sign-in come along, and what did not fit into an earlier minute. */
  function writeUser(subject: string, steps: readonly NumberedStep[]): void {
    for (const step of steps) {
      if (written.has(step)) continue
      if (!budget.take(`user ${subject}`, OF_USER)) return
      if (!queue.add(rowOf(step, subject, rows), MAX_WAITING)) return
      written.add(step)
    }
  }

  /** @returns whether the step has a row */
  function writeUnauthenticated(step: NumberedStep, reason = step.reason): boolean {
    const admitted =
      budget.take(`reason ${reason}`, OF_REASON) && budget.take('unauthenticated', OF_UNAUTHENTICATED)
    const kept = Math.min(days, DAYS_OF_UNAUTHENTICATED)
    return admitted && queue.add(rowOf(step, undefined, { ...rows, days: kept }), MAX_WAITING_UNAUTHENTICATED)
  }

  /** A step that is overdue causes no event, so a timer looks for it. */
  function writeOverdue(): void {
    const attempts = recorder.recent({ limit: Number.POSITIVE_INFINITY })
    for (const { finding, steps } of overdueAttempts(attempts, Date.now() / 1000))
      for (const step of steps as unknown as readonly NumberedStep[])
        if (!writtenOverdue.has(step) && writeUnauthenticated(step, finding)) writtenOverdue.add(step)
  }

  function beginMinute(): void {
    budget.reset()
    writeOverdue()
  }

  const inMemory = (reference: string) => {
    const steps = stepsOf(reference)
    return steps.map((step) => rowOf(step, subjectOf(steps), rows))
  }

  async function prune(): Promise<void> {
    const warn = (error: unknown) => onWarning(`The record of sign-in attempts was not pruned: ${error}`)
    await pruneAttempts(database, new Date()).catch(warn)
  }

  const timers = [setInterval(beginMinute, MINUTE_MS).unref(), setInterval(prune, PRUNE_MS).unref()]
  return {
    onEvent(event) {
      // Its rows went with the account.
      if (event.type === 'account_removed') recorder.forget(event.subject)
      if (event.type !== 'step') return
      const step = { ...event, millis: Date.now(), order: count++ }
      recorder.onEvent(step)
      if (isRoutine(step)) return
      const recorded = stepsOf(step.reference)
      const steps = recorded.length === 0 ? [step] : recorded
      const subject = step.subject ?? subjectOf(steps)
      if (subject !== undefined) writeUser(subject, steps)
      else if (step.outcome !== 'ok') writeUnauthenticated(step)
    },
    inMemory,
    inMemoryOf: (clientId) => recorder.recent({ clientId }).flatMap(({ reference }) => inMemory(reference)),
    flush: queue.flush,
    async close() {
      for (const timer of timers) clearInterval(timer)
      await queue.close()
    },
  }
}

/**
 * Each installation of an app refreshes every hour, and rows of that would be most of the table. They are written once
 * a later step fails.
 */
function isRoutine({ step, outcome }: StepEvent): boolean {
  return step === 'refreshed' && outcome === 'ok'
}

function subjectOf(steps: readonly StepEvent[]): string | undefined {
  return steps.findLast(({ subject }) => subject !== undefined)?.subject
}

/** A batch may have been written although its response was lost: writing it again adds nothing. */
async function insert(database: Database, batch: readonly AttemptStepRow[]): Promise<void> {
  await database
    .insertInto('attempt_steps')
    .values(batch)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Which steps have a row already. Steps of an attempt are written in their order. */
interface WrittenSteps {
  has(step: NumberedStep): boolean
  add(step: NumberedStep): void
}

/** More than the recorder keeps. A step that is written again adds nothing, because its id is the same. */
const MAX_ATTEMPTS = 10_000

function writtenSteps(): WrittenSteps {
  /** The order of the last written step, by reference. */
  const latest = new Map<string, number>()
  return {
    has: ({ reference, order }) => order <= (latest.get(reference) ?? -1),
    add({ reference, order }) {
      latest.delete(reference)
      latest.set(reference, order)
      const [oldest] = latest.keys()
      if (latest.size > MAX_ATTEMPTS && oldest !== undefined) latest.delete(oldest)
    },
  }
}

/** An attempt without a user that nothing has refused, and whose next step is overdue. */
interface OverdueAttempt {
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
function overdueAttempts(attempts: readonly Attempt[], now: number): OverdueAttempt[] {
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
