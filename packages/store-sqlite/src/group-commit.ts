import type { DatabaseSync } from 'node:sqlite'
import type { Time } from '@grantkit/core/store-kit'

export interface GroupCommit {
  /** Runs a statement in the next commit. Rejects when the commit failed: then nothing of it was written. */
  write<T>(statement: () => T): Promise<T>
  /** Commits now what waits. */
  flush(): void
}

interface Write {
  readonly statement: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * One transaction for all writes of one turn of the event loop. A commit waits for the disk, and a hundred writes in it
 * take hardly longer than one. Any error rolls all of them back.
 *
 * A failed write is not tried again: no network can lose a reply here, and SQLite has waited for locks already.
 *
 * @param time ends a turn, for tests. Default: the event loop, which no timer matches
 */
export function groupCommit(database: DatabaseSync, time?: Time): GroupCommit {
  const endOfTurn = time === undefined ? setImmediate : (work: () => void) => time.after(0, work)
  let waiting: Write[] = []

  function flush(): void {
    const writes = waiting
    if (writes.length === 0) return
    waiting = []
    try {
      const results = transaction(database, writes)
      for (const [position, { resolve }] of writes.entries()) resolve(results[position])
    } catch (error) {
      for (const { reject } of writes) reject(error)
    }
  }

  return {
    flush,
    write: <T>(statement: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) endOfTurn(flush)
        waiting.push({ statement, resolve: resolve as Write['resolve'], reject })
      }),
  }
}

function transaction(database: DatabaseSync, writes: readonly Write[]): unknown[] {
  // Takes the lock of the writer first: if another process keeps it, there is nothing to roll back.
  database.exec('BEGIN IMMEDIATE')
  try {
    const results = writes.map(({ statement }) => statement())
    database.exec('COMMIT')
    return results
  } catch (error) {
    // After some errors SQLite has rolled back by itself.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
