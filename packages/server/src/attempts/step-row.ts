import type { StepEvent } from '@grantkit/core/explain'
import { dayOf } from '../audit/entry.ts'
import type { AttemptStepRow } from '../database/tables.ts'

/** A step with the key of its row, given when it happened. */
export interface KeyedStep extends StepEvent {
  readonly key: string
}

/**
 * @param subject the user of the attempt, whom its first steps do not name
 * @param days how long the row is kept
 */
export function rowOf(step: KeyedStep, subject: string | undefined, days: number): AttemptStepRow {
  const { type: _, key, reference, clientId, ...facts } = step
  return {
    id: key,
    reference,
    failed: step.outcome === 'ok' ? 0 : 1,
    subject: subject ?? null,
    client_id: clientId ?? null,
    facts: JSON.stringify(facts),
    kept_until: dayOf(new Date(step.at * 1000), days),
  }
}

export function stepOf({ reference, client_id, facts }: AttemptStepRow): StepEvent {
  return {
    type: 'step',
    reference,
    ...(client_id === null ? {} : { clientId: client_id }),
    ...JSON.parse(facts),
  }
}
