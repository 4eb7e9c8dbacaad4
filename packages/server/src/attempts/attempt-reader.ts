import type { ServerSecret } from '@grantkit/core'
import {
  parseReference,
  type ReportsCalls,
  readLongReference,
  type StepEvent,
  verdictOf,
} from '@grantkit/explain'
import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { AttemptStepRow } from '../database/tables.ts'
import { type AttemptQuery, isRemoved, latestReferences, rowsOf } from './attempt-rows.ts'
import { type ReadAttempt, readAttempts } from './read-attempt.ts'
import type { AttemptRecording } from './recording.ts'

/** Reads sign-in attempts, including the latest steps. @throws OAuthError `temporarily_unavailable` */
export interface AttemptReader {
  /**
   * @param text a reference, as a user copies it
   * @returns `undefined` if it has another form, or if nothing is known of it and it does not have its second group
   */
  find(text: string): Promise<FoundAttempt | undefined>
  /** Attempts in the database, the latest first. */
  latest(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]>
  /** The same for those with a fault. */
  latestFailures(query: AttemptQuery, limit: number): Promise<readonly ReadAttempt[]>
}

export interface FoundAttempt extends ReadAttempt {
  /**
   * `memory`: only this process has it, for a while. `reference`: no step is kept. The second group of the reference has the
   * reason and the minute; its only step is made of them.
   */
  readonly keptIn: 'database' | 'memory' | 'reference'
}

/** How many other attempts of its client a verdict considers. */
const MAX_OTHERS = 20

export interface AttemptSources {
  readonly database: Database
  readonly recording: Pick<AttemptRecording, 'inMemory' | 'inMemoryOf' | 'flush'>
  /** Of the server, for references. */
  readonly secret: ServerSecret
  /** Whether a call that does not come is a fault. */
  readonly reportsCalls: ReportsCalls
}

export function attemptReader({ database, recording, secret, reportsCalls }: AttemptSources): AttemptReader {
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
      if (attempt === undefined) return inReference(text, secret)
      return { ...attempt, keptIn: written.length > 0 ? 'database' : 'memory' }
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

/** What was refused, of which another process may have seen more and kept nothing. */
function inReference(text: string, secret: ServerSecret): FoundAttempt | undefined {
  const read = readLongReference(text, secret, now())
  if (read === undefined) return undefined
  const step: StepEvent = { type: 'step', ...read, step: 'request_refused', outcome: 'refused' }
  const steps = [step]
  return { reference: read.reference, steps, verdict: verdictOf(steps, now()), keptIn: 'reference' }
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
