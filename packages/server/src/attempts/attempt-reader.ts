import { parseReference, type ReportsCalls, type StepEvent, type Verdict, verdictOf } from '@grantkit/explain'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AttemptStepRow } from '../database/tables.ts'
import { type AttemptQuery, isRemoved, latestReferences, rowsOf, stepOf } from './attempt-rows.ts'
import { inWordsOfSignIn } from './failed-sign-in.ts'
import type { AttemptRecording } from './recording.ts'

/** Reads sign-in attempts, including the latest steps. @throws OAuthError `temporarily_unavailable` */
export interface AttemptReader {
  /**
   * @param text a reference, as a user copies it
   * @returns `undefined` if it has another form, or if no step of it is kept
   */
  find(text: string): Promise<FoundAttempt | undefined>
  /** Attempts in the database, the latest first. */
  latest(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]>
  /** The same for those with a fault. */
  latestFailures(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]>
}

export interface FoundAttempt extends ReadAttempt {
  /** `memory`: only this process has it, for a while. */
  readonly keptIn: 'database' | 'memory'
}

/** How many other attempts of its client a verdict considers. */
const MAX_OTHERS = 20

export interface AttemptSources {
  readonly database: Database
  readonly recording: Pick<AttemptRecording, 'inMemory' | 'inMemoryOf' | 'flush'>
  /** Whether a call that does not come is a fault. */
  readonly reportsCalls: ReportsCalls
}

export function attemptReader({ database, recording, reportsCalls }: AttemptSources): AttemptReader {
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
    return readAttempts(references, await rowsOf(database, references), { now: now(), reportsCalls })
  }

  return errorsAs503<AttemptReader>({
    async find(text) {
      const reference = parseReference(text)
      if (reference === undefined) return undefined
      await recording.flush()
      const written = await rowsOf(database, [reference])
      const rows = merged(written, await inMemory(reference))
      const others = await othersOf(reference, rows)
      const [attempt] = readAttempts([reference], [...rows, ...others], {
        ...{ now: now(), reportsCalls },
      })
      return attempt && { ...attempt, keptIn: written.length > 0 ? 'database' : 'memory' }
    },
    async latest(query, limit) {
      await recording.flush()
      return read(await latestReferences(database, query, limit))
    },
    async latestFailures(query, limit) {
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

/** Epoch seconds. */
function now(): number {
  return Date.now() / 1000
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

/** A step, with the user whom its row names. */
interface UserStep {
  readonly step: StepEvent
  readonly subject: string | null
}

/** What a verdict depends on, next to the steps. */
interface Reading {
  /** Epoch seconds. */
  readonly now: number
  readonly reportsCalls: ReportsCalls
}

/**
 * Attempts of one client explain each other: an app that begins again has lost an answer.
 *
 * @param references of the attempts to read, in this order @param rows of these and of others
 */
function readAttempts(
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
