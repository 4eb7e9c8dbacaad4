import type { StepEvent } from '@grantkit/explain'
import { dayOf } from '../audit/entry.ts'
import type { AttemptStepRow } from '../database/tables.ts'

/** A step with what makes the id of its row. Few steps get one, and the text of an id costs more than the rest. */
export interface NumberedStep extends StepEvent {
  /** Epoch milliseconds. */
  readonly millis: number
  /** Of all steps of this process. */
  readonly order: number
}

/** What rows share. */
export interface StepRows {
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

/** A step with the process that has seen it: a short random name. */
export interface ReadStep extends StepEvent {
  readonly replica: string
}

const REPLICA_LENGTH = 6

export function stepOf({ id, reference, client_id, facts }: AttemptStepRow): ReadStep {
  return {
    type: 'step',
    reference,
    ...(client_id === null ? {} : { clientId: client_id }),
    ...JSON.parse(facts),
    // The end of an id is the random name of its process.
    replica: id.slice(-REPLICA_LENGTH),
  }
}
