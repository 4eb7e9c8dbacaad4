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
    // The end of a key is the random name of its process.
    replica: id.slice(-REPLICA_LENGTH),
  }
}
