import { type ReportsCalls, type StepEvent, type Verdict, verdictOf } from '@grantkit/explain'
import type { AttemptStepRow } from '../database/tables.ts'
import { inWordsOfSignIn } from './failed-sign-in.ts'
import { stepOf } from './step-row.ts'

/** A sign-in attempt with what explains it. */
export interface ReadAttempt {
  /** 8 characters, without a dash. */
  readonly reference: string
  /** In their order; at least one. */
  readonly steps: readonly StepEvent[]
  readonly verdict: Verdict
  readonly clientId?: string | undefined
  /** The user of the attempt, if one signed in. */
  readonly subject?: string | undefined
}

/** A step, with the user whom its row names. */
interface UserStep {
  readonly step: StepEvent
  readonly subject: string | null
}

/** What a verdict depends on, next to the steps. */
export interface Reading {
  /** Epoch seconds. */
  readonly now: number
  readonly reportsCalls: ReportsCalls
}

/**
 * Attempts of one client explain each other: an app that begins again has lost an answer.
 *
 * @param references of the attempts to read, in this order @param rows of these and of others
 */
export function readAttempts(
  references: readonly string[],
  rows: readonly AttemptStepRow[],
  reading: Reading,
): ReadAttempt[] {
  const all = rows.map((row) => ({ step: stepOf(row), subject: row.subject }))
  const ofReference = Map.groupBy(all, ({ step }) => step.reference)
  const ofClient = Map.groupBy(
    all.map(({ step }) => step),
    ({ clientId }) => clientId,
  )
  return references.flatMap((reference) => {
    const own = ofReference.get(reference)
    if (own === undefined) return []
    const clientId = own.findLast(({ step }) => step.clientId !== undefined)?.step.clientId
    const others = clientId === undefined ? [] : ofClient.get(clientId)
    return [{ ...attemptOf(own, reading, others), reference, clientId }]
  })
}

function attemptOf(
  own: readonly UserStep[],
  { now, reportsCalls }: Reading,
  others: readonly StepEvent[] | undefined,
) {
  const steps = own.map(({ step }) => step)
  const faults = steps.flatMap(({ fault = [] }) => fault)
  return {
    steps,
    verdict: inWordsOfSignIn(verdictOf(steps, now, others, reportsCalls), faults),
    subject: own.findLast(({ subject }) => subject !== null)?.subject ?? undefined,
  }
}
