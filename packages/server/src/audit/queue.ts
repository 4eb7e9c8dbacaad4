import type { Database } from '../database/database.ts'
import { keySuffixes, type RowQueue, rowQueue } from '../database/row-queue.ts'
import type { AuditRow } from '../database/tables.ts'
import { type Happened, reasonOf, rowOf } from './entry.ts'
import { leftOut } from './left-out.ts'

/** Entries that wait to be written to the database. */
export interface AuditQueue extends Pick<RowQueue<AuditRow>, 'flush' | 'close'> {
  /** @param days how long the row is kept @param most drops and counts the entry if this many wait already */
  add(happened: Happened, days: number, most: number): void
}

export interface AuditOptions {
  /** How many days an entry is kept. */
  readonly days: number
  /** Called once for each outage of the database, and about entries that are lost. */
  readonly onWarning: (warning: string) => void
}

export function auditQueue(database: Database, { days: longest, onWarning }: AuditOptions): AuditQueue {
  const suffix = keySuffixes()
  const dropped = leftOut()
  let count = 0
  const row = (happened: Happened, days: number) => rowOf(happened, new Date(), suffix(count++), days)
  const queue = rowQueue<AuditRow>({
    name: 'audit trail',
    insert: (batch) => insert(database, batch),
    aboutDropped: () => dropped.take().map((happened) => row(happened, longest)),
    onWarning,
  })
  return {
    add(happened, days, most) {
      if (!queue.add(row(happened, days), most)) dropped.add(happened, reasonOf(happened))
    },
    flush: queue.flush,
    close: queue.close,
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
