import type { DatabaseSync } from 'node:sqlite'
import type { Time } from '@grantkit/core/store-kit'

export interface GroupCommit {
  /** Runs a statement in the next commit. Rejects when the commit failed: then nothing of it was written. */
  write<T>(statement: () => T): Promise<T>
  /** Runs a statement that only reads, at the end of this turn: so it sees all that was committed before it was called. */
  read<T>(statement: () => T): Promise<T>
  /** Runs and commits now what waits. */
  flush(): void
}

/**
 * One transaction for all writes of one turn of the event loop, and one for all reads. A commit waits for the disk, and a
 * hundred writes in it take hardly longer than one. Any error rolls all of them back. A transaction of reads takes the
 * locks of the file once for all of them.
 *
 * A failed write is not tried again: no network can lose a reply here, and SQLite has waited for locks already.
 *
 * @param time ends a turn, for tests. Default: the event loop, which no timer matches
 */
export function groupCommit(database: DatabaseSync, time?: Time): GroupCommit {
  const endOfTurn = time === undefined ? setImmediate : (work: () => void) => time.after(0, work)
  const reads = turn((all) => (all.length === 1 ? run(all) : transaction(database, 'BEGIN', all)), endOfTurn)
  // Takes the lock of the writer first: if another process keeps it, there is nothing to roll back.
  const writes = turn((all) => transaction(database, 'BEGIN IMMEDIATE', all), endOfTurn)
  return {
    read: reads.add,
    write: writes.add,
    flush() {
      reads.flush()
      writes.flush()
    },
  }
}

type Statement = () => unknown

interface Waiting {
  readonly statement: Statement
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Statements that wait for the end of a turn, and then run together. */
function turn(
  runAll: (statements: readonly Statement[]) => unknown[],
  endOfTurn: (work: () => void) => unknown,
) {
  let waiting: Waiting[] = []

  function flush(): void {
    const all = waiting
    if (all.length === 0) return
    waiting = []
    try {
      const results = runAll(all.map(({ statement }) => statement))
      for (const [position, { resolve }] of all.entries()) resolve(results[position])
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  return {
    flush,
    add: <T>(statement: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) endOfTurn(flush)
        waiting.push({ statement, resolve: resolve as Waiting['resolve'], reject })
      }),
  }
}

function run(statements: readonly Statement[]): unknown[] {
  return statements.map((statement) => statement())
}

function transaction(database: DatabaseSync, begin: string, statements: readonly Statement[]): unknown[] {
  database.exec(begin)
  try {
    const results = run(statements)
    database.exec('COMMIT')
    return results
  } catch (error) {
    // After some errors SQLite has rolled back by itself.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
