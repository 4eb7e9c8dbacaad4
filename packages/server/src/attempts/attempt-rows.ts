/** The rows of the table `attempt_steps`. */

import type { StepEvent } from '@grantkit/explain'
import { dayOf } from '../audit/entry.ts'
import type { Database, Rows } from '../database/database.ts'
import { pruneExpired } from '../database/row-queue.ts'
import type { AttemptStepRow } from '../database/tables.ts'

/** Which attempts to read: those with a step that matches every property. */
export interface AttemptQuery {
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  /** ISO 8601, in UTC with milliseconds; included. */
  readonly since?: string | undefined
}

/** How many rows an answer is made of, so that no request reads the whole table. */
const MAX_ROWS = 5000

/** The references of the latest attempts, the latest first. @param failed only those with a failed step */
export async function latestReferences(
  database: Database,
  { subject, clientId, since, failed }: AttemptQuery & { readonly failed?: boolean },
  limit: number,
): Promise<string[]> {
  const latest = ofPresentUsers(database)
    .select(['id', 'reference'])
    .$if(subject !== undefined, (rows) => rows.where('subject', '=', subject as string))
    .$if(clientId !== undefined, (rows) => rows.where('client_id', '=', clientId as string))
    .$if(since !== undefined, (rows) => rows.where('id', '>=', since as string))
    .$if(failed === true, (rows) => rows.where('failed', '=', 1))
    .orderBy('id', 'desc')
    .limit(MAX_ROWS)
  const found = await database
    .selectFrom(latest.as('latest'))
    .select('reference')
    .groupBy('reference')
    .orderBy(({ fn }) => fn.max('id'), 'desc')
    .limit(limit)
    .execute()
  return found.map(({ reference }) => reference)
}

/** The rows of these attempts, the oldest first. If there are too many, the latest. */
export async function rowsOf(
  database: Database,
  references: readonly string[],
): Promise<readonly AttemptStepRow[]> {
  if (references.length === 0) return []
  const rows = ofPresentUsers(database).selectAll('attempt_steps').where('reference', 'in', references)
  return (await rows.orderBy('id', 'desc').limit(MAX_ROWS).execute()).reverse()
}

/** Whether the account of a user was removed, by any replica. */
export async function isRemoved(database: Database, subject: string): Promise<boolean> {
  const accounts = database.selectFrom('account').select('id').where('id', '=', subject)
  return (await accounts.where('state', '=', 'removed').executeTakeFirst()) !== undefined
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

/** A replica may write a step a moment after the account was removed. */
function ofPresentUsers(database: Database) {
  return database
    .selectFrom('attempt_steps')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('account')
            .select('account.id')
            .whereRef('account.id', '=', 'attempt_steps.subject')
            .where('state', '=', 'removed'),
        ),
      ),
    )
}

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
