import { randomBytes } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { DAY_MS, MINUTE_MS } from '../config/time-units.ts'
import type { Database } from './database.ts'
import { kindOfError } from './errors-as-503.ts'
import type { AuditRow, Tables } from './tables.ts'

/** Rows that wait to be written to a table. No request waits for them. */
export interface RowQueue<Row> {
  /** @param most `false`: this many wait already, and the row is dropped */
  add(row: Row, most: number): boolean
  /** Writes the waiting rows. Never rejects: rows that could not be written stay in the queue, unless others of their batch could. */
  flush(): Promise<void>
  /** Tries once to write the waiting rows. Rows that cannot be written are lost, and reported to `onWarning`. */
  close(): Promise<void>
}

export interface RowQueueOptions<Row> {
  /** What the rows are, for warnings: "audit trail". */
  readonly name: string
  /** Writes a few rows, which may be written already: the response of an earlier call may have been lost. */
  readonly insert: (batch: readonly Row[]) => Promise<unknown>
  /** Rows about what was dropped, asked for once the waiting ones are written. */
  readonly aboutDropped?: () => readonly Row[]
  /** Called once for each outage of the database, and about rows that are lost. */
  readonly onWarning: (warning: string) => void
}

const FLUSH_MS = 500
/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
const BATCH = 200
/** More in a row, and it is the table that is at fault: the rows wait until it is mended. */
const MAX_REFUSED = 10

export function rowQueue<Row>(options: RowQueueOptions<Row>): RowQueue<Row> {
  const { name, insert, aboutDropped = () => [], onWarning } = options
  const waiting: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let next: Promise<void> | undefined
  let faulty = false

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      await insert(batch).catch((error) => insertEach(batch, error))
      waiting.splice(0, batch.length)
      await yieldToEventLoop()
    }
  }

  /** Where the database takes some of the rows, the others are at fault, and would stop the queue for ever. */
  async function insertEach(batch: readonly Row[], reason: unknown): Promise<void> {
    if (kindOfError(reason) !== 'bug' || batch.length === 1) throw reason
    let [taken, refused] = [0, 0]
    for (const row of batch) {
      try {
        await insert([row])
        taken++
      } catch (error) {
        refused++
        const mayBeAll = taken === 0 && (refused === MAX_REFUSED || refused === batch.length)
        if (mayBeAll || kindOfError(error) !== 'bug') throw error
      }
    }
    if (refused > 0)
      onWarning(`The database refuses ${refused} entries of the ${name}, which are lost: ${reason}`)
  }

  async function write(): Promise<void> {
    try {
      await writeAll()
      waiting.push(...aboutDropped())
      await writeAll()
      faulty = false
    } catch (error) {
      if (!faulty) onWarning(`The ${name} waits for its database: ${error}`)
      faulty = true
      flushLater()
    }
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
    add(row, most) {
      if (waiting.length >= most) return false
      waiting.push(row)
      if (waiting.length === BATCH && !faulty) void flush()
      else flushLater()
      return true
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
      if (waiting.length > 0) onWarning(`${waiting.length} entries of the ${name} are lost`)
    },
  }
}

/** What the operator sets of a record of what happened. */
export interface RecordOptions {
  /** How many days it is kept; what unauthenticated callers cause, for less. */
  readonly days: number
  /** Called once for each outage of the database, and about what is lost. */
  readonly onWarning: (warning: string) => void
}

interface RecordedRowsOptions<Table> extends Omit<RowQueueOptions<unknown>, 'insert' | 'aboutDropped'> {
  readonly table: Table
  readonly aboutDropped?: () => readonly Tables[Table & keyof Tables][]
  readonly eachMinute: () => void
  /** Deletes expired rows. */
  readonly prune: (now: Date) => Promise<number>
}

const PRUNE_MS = 10 * MINUTE_MS

/** A table of rows that never change and expire: what is to be written waits, and timers delete what has expired. */
export function recordedRows<Table extends 'audit' | 'attempt_steps'>(
  database: Database,
  { table, eachMinute, prune, ...options }: RecordedRowsOptions<Table>,
): RowQueue<Tables[Table]> {
  const queue = rowQueue<Tables[Table]>({
    ...options,
    // A batch may have been written although its response was lost: writing it again adds nothing.
    insert: (batch) =>
      database
        .insertInto<'audit' | 'attempt_steps'>(table)
        .values(batch as readonly AuditRow[])
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
  })
  const warn = (error: unknown) => options.onWarning(`The ${options.name} was not pruned: ${error}`)
  const timers = [
    setInterval(eachMinute, MINUTE_MS).unref(),
    setInterval(() => prune(new Date()).catch(warn), PRUNE_MS).unref(),
  ]
  return {
    ...queue,
    close() {
      for (const timer of timers) clearInterval(timer)
      return queue.close()
    },
  }
}

/** Suffixes of keys, different in each process. They are in the order of their numbers. */
export function keySuffixes(): (order: number) => string {
  const process = randomBytes(6).toString('hex')
  return (order) => `${String(order).padStart(12, '0')}-${process}`
}

/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
const STEP = 500

/** The day, a number of days after a time. */
export function dayOf(at: Date, days: number): string {
  return new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Repeats a statement until no row is left for it: Postgres gives each a second.
 *
 * @param change changes that many rows at most, and returns how many it has changed
 * @returns how many rows have changed
 */
export async function inSteps(change: (most: number) => Promise<bigint>): Promise<number> {
  for (let changed = 0; ; await yieldToEventLoop()) {
    const rows = await change(STEP)
    changed += Number(rows)
    if (rows < STEP) return changed
  }
}

/** Deletes the rows that are kept until an earlier day. @param day in UTC, as `2026-01-01` @returns how many */
export function pruneExpired(
  database: Database,
  table: 'audit' | 'attempt_steps',
  day: string,
): Promise<number> {
  const over = database.selectFrom(table).select('id').where('kept_until', '<', day)
  const expired = database.deleteFrom(table)
  return inSteps(
    async (most) => (await expired.where('id', 'in', over.limit(most)).executeTakeFirst()).numDeletedRows,
  )
}

/** How many rows each group of callers may still cause. */
export function rowBudget() {
  const rows = new Map<string, number>()
  return {
    /** Whether the group has a row left, and takes it. */
    take(group: string, most: number): boolean {
      const taken = rows.get(group) ?? 0
      if (taken < most) rows.set(group, taken + 1)
      return taken < most
    },
    /** Begins anew. */
    reset: () => rows.clear(),
  }
}

/** Rows in a minute for one user, for one reason of unauthenticated callers, and for all their reasons together. */
export const ROWS_A_MINUTE = { user: 60, reason: 3, unauthenticated: 20 } as const

/** Rows that wait while the database is unreachable; one has about 500 bytes. Those of unauthenticated callers are dropped first. */
export const MAX_WAITING = { operator: 10_000, decision: 10_000, user: 5000, unauthenticated: 1000 } as const
