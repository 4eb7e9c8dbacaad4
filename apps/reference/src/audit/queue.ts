import { randomBytes } from 'node:crypto'
import { setImmediate as breath } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { AuditRow } from '../database/tables.ts'
import { type Happened, reasonOf, rowOf } from './entry.ts'
import { leftOut } from './left-out.ts'

/** Entries that wait to be written to the database. No request waits for them. */
export interface AuditQueue {
  /** @param days how long the row is kept @param most drops the entry if this many wait already */
  add(happened: Happened, days: number, most: number): void
  /** Writes the waiting entries. Never rejects: entries that could not be written stay in the queue. */
  flush(): Promise<void>
  /** Tries once to write the waiting entries. Entries that cannot be written are lost, and reported to `onWarning`. */
  close(): Promise<void>
}

const FLUSH_MS = 500
/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
const BATCH = 200

export interface AuditOptions {
  /** How many days an entry is kept. */
  readonly days: number
  /** Called once for each outage of the database, and about entries that are lost. */
  readonly onWarning: (warning: string) => void
}

export function auditQueue(database: Database, { days: longest, onWarning }: AuditOptions): AuditQueue {
  const tail = tails()
  const waiting: AuditRow[] = []
  const dropped = leftOut()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let next: Promise<void> | undefined
  let faulty = false

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      await insert(database, batch)
      waiting.splice(0, batch.length)
      await breath()
    }
  }

  async function write(): Promise<void> {
    try {
      await writeAll()
      addDropped()
      await writeAll()
      faulty = false
    } catch (error) {
      if (!faulty) onWarning(`The audit trail waits for its database: ${error}`)
      faulty = true
      flushLater()
    }
  }

  function addDropped(): void {
    for (const row of dropped.take()) waiting.push(rowOf(row, new Date(), tail(), longest))
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (writing === undefined) {
      writing = write().finally(() => {
        writing = undefined
      })
      return writing
    }
    // All calls in the meantime share one more flush, which writes what they added.
    next ??= writing.then(() => {
      next = undefined
      return flush()
    })
    return next
  }

  function flushLater(): void {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }

  return {
    add(happened, days, most) {
      if (waiting.length >= most) {
        dropped.add(happened, reasonOf(happened))
        return
      }
      waiting.push(rowOf(happened, new Date(), tail(), days))
      if (waiting.length === BATCH && !faulty) void flush()
      else flushLater()
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
      if (waiting.length > 0) onWarning(`${waiting.length} entries of the audit trail are lost`)
    },
  }
}

/** A batch may have been written although its response was lost: writing it again adds nothing. */
async function insert(database: Database, batch: readonly AuditRow[]): Promise<void> {
  await database
    .insertInto('audit')
    .values(batch)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Suffixes in ascending order, different in each process. */
function tails(): () => string {
  const process = randomBytes(6).toString('hex')
  let count = 0
  return () => `${String(count++).padStart(12, '0')}-${process}`
}
