import { parseReference, type ReportsCalls, type StepEvent, type Verdict, verdictOf } from '@grantkit/explain'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AttemptStepRow } from '../database/tables.ts'
import type { AttemptRecording } from './recording.ts'
import { inWordsOfSignIn } from './words.ts'

/** Which attempts to read: those with a step that matches every property. */
export interface AttemptQuery {
  readonly subject?: string | undefined
  readonly clientId?: string | undefined
  /** ISO 8601, in UTC with milliseconds; included. */
  readonly since?: string | undefined
}

export interface FoundAttempt extends ReadAttempt {
  /** `memory`: only this process has it, for a while. */
  readonly keptIn: 'database' | 'memory'
}

/** How many other attempts of its client a verdict considers. */
const MAX_OTHERS = 20

interface AttemptSources {
  readonly database: Database
  readonly recording: Pick<AttemptRecording, 'inMemory' | 'inMemoryOf' | 'flush'>
  /** Whether a call that does not come is a fault. */
  readonly reportsCalls: ReportsCalls
  /** Whether an application signs the users in. */
  readonly external: boolean
}

export type AttemptReader = ReturnType<typeof attemptReader>

/** Reads sign-in attempts, including the latest steps. @throws OAuthError `temporarily_unavailable` */
export function attemptReader({ database, recording, ...known }: AttemptSources) {
  async function inMemory(reference: string): Promise<readonly AttemptStepRow[]> {
    const rows = recording.inMemory(reference)
    const subject = rows.at(-1)?.subject
    return subject && (await isRemoved(database, subject)) ? [] : rows
  }

  async function othersOf(reference: string, rows: readonly AttemptStepRow[]) {
    const clientId = rows.findLast(({ client_id }) => client_id !== null)?.client_id
    if (!clientId) return []
    const references = await latestReferences(database, { clientId }, MAX_OTHERS)
    const others = references.filter((other) => other !== reference)
    return merged(await rowsOf(database, others), recording.inMemoryOf(clientId)).filter(
      (row) => row.reference !== reference,
    )
  }

  async function read(references: readonly string[]): Promise<ReadAttempt[]> {
    return readAttempts(references, await rowsOf(database, references), known)
  }

  return errorsAs503({
    /**
     * @param text a reference, as a user copies it
     * @returns `undefined` if it has another form, or if no step of it is kept
     */
    async find(text: string): Promise<FoundAttempt | undefined> {
      const reference = parseReference(text)
      if (reference === undefined) return undefined
      await recording.flush()
      const written = await rowsOf(database, [reference])
      const rows = merged(written, await inMemory(reference))
      const others = await othersOf(reference, rows)
      const [attempt] = readAttempts([reference], [...rows, ...others], known)
      return attempt && { ...attempt, keptIn: written.length > 0 ? 'database' : 'memory' }
    },
    /** Attempts in the database, the latest first. */
    async latest(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]> {
      await recording.flush()
      return read(await latestReferences(database, query, limit))
    },
    /** The same for those with a fault. */
    async latestFailures(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]> {
      await recording.flush()
      const failed = await latestReferences(database, { ...query, failed: true }, limit)
      // An attempt can fail without a failed step: by a step that did not come.
      const all = await latestReferences(database, query, limit)
      const attempts = await read([...new Set([...failed, ...all])])
      return attempts
        .filter(({ verdict }) => verdict.by !== 'none')
        .sort((one, other) => endOf(other) - endOf(one))
        .slice(0, limit)
    },
  })
}

function merged(written: readonly AttemptStepRow[], inMemory: readonly AttemptStepRow[]): AttemptStepRow[] {
  const rows = new Map([...inMemory, ...written].map((row) => [row.id, row]))
  return [...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

function endOf({ steps }: ReadAttempt): number {
  return steps.at(-1)?.at ?? 0
}

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

/**
 * Attempts of one client explain each other: an app that begins again has lost an answer.
 *
 * @param references of the attempts to read, in this order @param rows of these and of others
 */
function readAttempts(
  references: readonly string[],
  rows: readonly AttemptStepRow[],
  { reportsCalls, external }: Pick<AttemptSources, 'reportsCalls' | 'external'>,
): ReadAttempt[] {
  const now = Date.now() / 1000
  const all = rows.map((row) => ({ subject: row.subject, step: stepOf(row) }))
  const ofReference = Map.groupBy(all, ({ step }) => step.reference)
  const ofClient = Map.groupBy(
    all.map(({ step }) => step),
    ({ clientId }) => clientId,
  )
  return references.flatMap((reference) => {
    const own = ofReference.get(reference)
    if (own === undefined) return []
    const steps = own.map(({ step }) => step)
    const clientId = steps.findLast((step) => step.clientId !== undefined)?.clientId
    const others = clientId === undefined ? [] : ofClient.get(clientId)
    const faults = steps.flatMap(({ fault = [] }) => fault)
    const verdict = inWordsOfSignIn(verdictOf(steps, now, others, reportsCalls), faults, external)
    const subject = own.findLast((step) => step.subject !== null)?.subject ?? undefined
    return [{ steps, verdict, subject, reference, clientId }]
  })
}

// The rows of the table `attempt_steps`.

/** How many rows an answer is made of, so that no request reads the whole table. */
const MAX_ROWS = 5000

/** The references of the latest attempts, the latest first. @param failed only those with a failed step */
async function latestReferences(
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
async function rowsOf(database: Database, references: readonly string[]): Promise<readonly AttemptStepRow[]> {
  if (references.length === 0) return []
  const rows = ofPresentUsers(database).selectAll('attempt_steps').where('reference', 'in', references)
  return (await rows.orderBy('id', 'desc').limit(MAX_ROWS).execute()).reverse()
}

/** Whether the account of a user was removed, by any replica. */
async function isRemoved(database: Database, subject: string): Promise<boolean> {
  const accounts = database.selectFrom('account').select('id').where('id', '=', subject)
  return (await accounts.where('state', '=', 'removed').executeTakeFirst()) !== undefined
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

/** A step with the process that has seen it: a short random name. */
interface ReadStep extends StepEvent {
  readonly replica: string
}

const REPLICA_LENGTH = 6

function stepOf({ id, reference, client_id, facts }: AttemptStepRow): ReadStep {
  return {
    type: 'step',
    reference,
    ...(client_id === null ? {} : { clientId: client_id }),
    ...JSON.parse(facts),
    // The end of an id is the random name of its process.
    replica: id.slice(-REPLICA_LENGTH),
  }
}
