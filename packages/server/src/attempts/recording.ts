import { randomBytes } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { type BaseEvent, systemClock } from '@grantkit/core/internal'
import {
  type Attempt,
  createFlightRecorder,
  type FindingName,
  type StepEvent,
  signInAttempts,
  verdictOf,
} from '@grantkit/explain'
import type { Database, Rows } from '../database/database.ts'
import {
  dayOf,
  keySuffixes,
  MAX_WAITING,
  pruneExpired,
  type RecordOptions,
  ROWS_A_MINUTE,
  recordedRows,
  rowBudget,
} from '../database/row-queue.ts'
import type { AttemptStepRow } from '../database/tables.ts'
import type { ServiceEvent, SignInEvent } from '../events.ts'

const DAYS_OF_UNAUTHENTICATED = 3

export type AttemptRecording = ReturnType<typeof attemptRecording>

/**
 * Records the steps of sign-in attempts. All of them are in memory, within the limits of the recorder. The database
 * gets the attempts of signed-in users and, within a budget, what unauthenticated callers were refused or left.
 */
export function attemptRecording(database: Database, { days, onWarning }: RecordOptions) {
  const recorder = createFlightRecorder()
  const suffix = keySuffixes()
  const rows = { days, suffix }
  let count = 0
  const budget = rowBudget()
  const written = writtenSteps()
  /** Apart, because the steps before them still have to come along with the user. */
  const writtenOverdue = writtenSteps()
  const queue = recordedRows(database, {
    ...{ table: 'attempt_steps', name: 'record of sign-in attempts', onWarning, eachMinute: beginMinute },
    prune: (now) => pruneAttempts(database, now),
  })
  /** The recorder keeps the members of an event as they are. */
  const stepsOf = (reference: string) =>
    (recorder.attempt(reference)?.steps ?? []) as unknown as readonly NumberedStep[]

  /** The steps before the sign-in come along, and what did not fit into an earlier minute. */
  function writeUser(subject: string, steps: readonly NumberedStep[]): void {
    for (const step of steps) {
      if (written.has(step)) continue
      if (!budget.take(`user ${subject}`, ROWS_A_MINUTE.user)) return
      if (!queue.add(rowOf(step, subject, rows), MAX_WAITING.user)) return
      written.add(step)
    }
  }

  /** @returns whether the step has a row */
  function writeUnauthenticated(step: NumberedStep, reason = step.reason): boolean {
    const admitted =
      budget.take(`reason ${reason}`, ROWS_A_MINUTE.reason) &&
      budget.take('unauthenticated', ROWS_A_MINUTE.unauthenticated)
    const kept = Math.min(days, DAYS_OF_UNAUTHENTICATED)
    return admitted && queue.add(rowOf(step, undefined, { ...rows, days: kept }), MAX_WAITING.unauthenticated)
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

  /** The steps of an attempt in the memory of this process, as the rows that they are or would be. */
  const inMemory = (reference: string): readonly AttemptStepRow[] => {
    const steps = stepsOf(reference)
    return steps.map((step) => rowOf(step, subjectOf(steps), rows))
  }

  return {
    /** Records a step, and forgets a removed account. Never throws, never waits. */
    onEvent(event: ServiceEvent): void {
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
    /** The same for all attempts of a client. */
    inMemoryOf: (clientId: string) =>
      recorder.recent({ clientId }).flatMap(({ reference }) => inMemory(reference)),
    /** Resolves when all rows so far are in the database, or the database is unreachable. */
    flush: queue.flush,
    close: queue.close,
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

/** More than the recorder keeps. A step that is written again adds nothing, because its id is the same. */
const MAX_ATTEMPTS = 10_000

/** Which steps have a row already. Steps of an attempt are written in their order. */
function writtenSteps() {
  /** The order of the last written step, by reference. */
  const latest = new Map<string, number>()
  return {
    has: ({ reference, order }: NumberedStep) => order <= (latest.get(reference) ?? -1),
    add({ reference, order }: NumberedStep): void {
      latest.delete(reference)
      latest.set(reference, order)
      const [oldest] = latest.keys()
      if (latest.size > MAX_ATTEMPTS && oldest !== undefined) latest.delete(oldest)
    },
  }
}

const WITHOUT_USER: ReadonlySet<string> = new Set<FindingName>([
  'never_requested',
  'sign_in_left',
  'sign_in_repeated',
])

/** A third sign-in page makes the verdict `sign_in_repeated`. */
const MAX_STEPS = 3

/**
 * The attempts without a user that nothing has refused, and whose next step is overdue: with the few steps that their verdict needs.
 *
 * @param attempts all in memory: those of one client explain each other @param now epoch seconds
 */
function overdueAttempts(attempts: readonly Attempt[], now: number) {
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

/** A step with what makes the id of its row. Few steps get one, and the text of an id costs more than the rest. */
interface NumberedStep extends StepEvent {
  /** Epoch milliseconds. */
  readonly millis: number
  /** Of all steps of this process. */
  readonly order: number
}

/** What rows share. */
interface StepRows {
  /** How long they are kept. */
  readonly days: number
  /** The end of an id, by the number of its step. */
  readonly suffix: (order: number) => string
}

/** @param subject the user of the attempt: its first steps have none */
export function rowOf(
  step: NumberedStep,
  subject: string | undefined,
  { days, suffix }: StepRows,
): AttemptStepRow {
  const { type: _, millis, order, reference, clientId, ...facts } = step
  return {
    id: `${new Date(millis).toISOString()}-${suffix(order)}`,
    reference,
    failed: step.outcome === 'ok' ? 0 : 1,
    subject: subject ?? null,
    client_id: clientId ?? null,
    facts: JSON.stringify(facts),
    kept_until: dayOf(new Date(step.at * 1000), days),
  }
}

/**
 * Deletes the steps of a removed account. They are no evidence, so they do not wait until they expire. The steps from
 * before the sign-in go too, unless another user has a part in the attempt: anyone may open the link of another one's.
 */
export async function removeAttempts(rows: Rows, subject: string): Promise<void> {
  const references = rows.selectFrom('attempt_steps').select('reference')
  await rows
    .deleteFrom('attempt_steps')
    .where('subject', 'is', null)
    .where('reference', 'in', references.where('subject', '=', subject))
    .where('reference', 'not in', references.where('subject', '!=', subject))
    .execute()
  await rows.deleteFrom('attempt_steps').where('subject', '=', subject).execute()
}

/** Deletes expired steps, and those of removed accounts that a replica wrote after the removal. @returns how many */
export async function pruneAttempts(database: Database, now: Date): Promise<number> {
  const removed = database.selectFrom('account').select('id').where('state', '=', 'removed')
  const { numDeletedRows } = await database
    .deleteFrom('attempt_steps')
    .where('subject', 'in', removed)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows) + (await pruneExpired(database, 'attempt_steps', dayOf(now, 0)))
}

type SignInFailed = Extract<SignInEvent, { type: 'sign_in_failed' | 'sign_in_refused' }>

/** The page that tells the user of it. */
interface FailedPage {
  /** A path of this server: the authorization request of an app, or a page. */
  readonly returnTo: string
  readonly status: number
  /** The address of the browser. */
  readonly caller: string | undefined
  /** Who was signed in there, whatever the event says of another account. */
  readonly subject?: string | undefined
}

/**
 * Reports a sign-in that failed elsewhere: the event, and the step of the attempt that it stopped. A pushed request names its
 * client alone, so its failure is an attempt of its own.
 *
 * @returns the reference, as users see it; `undefined` if sign-ins are not explained
 */
export type ReportFailedSignIn = (event: SignInFailed, page: FailedPage) => string | undefined

interface Options {
  readonly explain: boolean
  readonly secret: ServerSecret
  readonly onEvent: (event: SignInFailed | StepEvent) => void
}

export function reportFailedSignIn({ explain, secret, onEvent }: Options): ReportFailedSignIn {
  // With the secret of the authorization server, and so with the same references.
  const [current] = [secret].flat()
  const context = { emit: onEvent as (event: BaseEvent) => void, now: systemClock, random: randomBytes }
  const attempts = explain ? signInAttempts(context, current) : undefined
  return (event, { returnTo, status, caller, subject }) => {
    const { searchParams } = new URL(returnTo, 'https://any.example')
    const request = { path: '/login', remoteAddress: caller }
    // A copy: V8 keeps a whole query alive for one part of its text, and steps are kept in memory.
    const fault = Buffer.from(faultOf(event)).toString() || undefined
    const error = { reason: event.reason, status, facts: { fault } }
    const { reference } =
      attempts?.signInRefused(request, Object.fromEntries(searchParams), error, subject) ?? {}
    onEvent(event.type === 'sign_in_refused' ? { subject, ...event, reference } : event)
    return reference
  }
}

function faultOf(event: SignInFailed): string {
  if (event.type === 'sign_in_failed') return event.detail ?? ''
  const { provider, domain, detail } = event
  return [`provider ${provider}`, ...(domain ? [`domain ${domain}`] : []), ...(detail ? [detail] : [])].join(
    ', ',
  )
}
