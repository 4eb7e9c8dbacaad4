import type { Row, SqlValue } from './records.ts'
import type { SweepStatements } from './statements.ts'

/** Seconds between the end of a row and its deletion: the clock of a caller may be behind. */
const SWEEP_DELAY = 3600

export interface Sweep {
  /** Of each table. */
  readonly tables: readonly SweepStatements[]
  /** Epoch seconds. */
  readonly now: number
  readonly maxSteps: number
}

/** Runs a statement where the tables are. */
type Rows = (statement: string, values: readonly SqlValue[]) => readonly Row[] | Promise<readonly Row[]>

/** A part of a table, by its primary key. */
interface Part {
  readonly statements: SweepStatements
  readonly after: string
  readonly until: string
}

/**
 * Deletes what ended an hour ago, by pages of the primary key. Each table is read from a random key to its end, and then from
 * its start: if the steps do not suffice for all of it, another sweep begins elsewhere.
 *
 * @returns how many rows are gone
 */
export async function sweepTables(rows: Rows, { tables, now, maxSteps }: Sweep): Promise<number> {
  const ended = Math.floor(now) - SWEEP_DELAY
  let [swept, steps] = [0, 0]
  for (const { statements, after, until } of tables.flatMap(inTwoParts)) {
    for (let last = after; last < until && steps < maxSteps; steps++) {
      const [page] = await rows(statements.lastOfSweep, [last])
      if (typeof page?.last !== 'string') break
      swept += (await rows(statements.sweep, [last, page.last, ended])).length
      last = page.last
      await nextTurn()
    }
  }
  return swept
}

function inTwoParts(statements: SweepStatements): Part[] {
  const middle = anyCharacter()
  return [
    { statements, after: middle, until: AFTER_ALL_KEYS },
    { statements, after: '', until: middle },
  ]
}

const AFTER_ALL_KEYS = '~'

/** Of those that keys begin with. */
function anyCharacter(): string {
  const [first, last] = ['-', 'z'].map((character) => character.charCodeAt(0)) as [number, number]
  return String.fromCharCode(first + Math.floor(Math.random() * (last - first + 1)))
}

/** Calls of requests run meanwhile. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
