import { SWEEP_MARGIN } from '@grantkit/core/store-kit'
import type { Row, SqlValue } from './records.ts'
import type { SweepStatements } from './statements.ts'

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
  readonly after: string
  readonly until: string
}

/**
 * Deletes what ended an hour ago, by pages of the primary key. Each table has a share of the steps, and what others leave. It is
 * read from a random key to its end, and then from its start: if its steps do not suffice for all of it, another sweep begins
 * elsewhere.
 *
 * @returns how many rows are gone
 */
export async function sweepTables(rows: Rows, { tables, now, maxSteps }: Sweep): Promise<number> {
  const ended = Math.floor(now) - SWEEP_MARGIN
  let [swept, stepsLeft] = [0, maxSteps]
  for (const [at, statements] of inRandomOrder(tables).entries()) {
    let share = Math.ceil(stepsLeft / (tables.length - at))
    stepsLeft -= share
    for (const { after, until } of inTwoParts(await startOf(rows, statements))) {
      for (let last = after; last < until && share > 0; share--) {
        const [page] = await rows(statements.lastOfSweep, [last])
        if (typeof page?.last !== 'string') break
        swept += (await rows(statements.sweep, [last, page.last, ended])).length
        last = page.last
        await nextTurn()
      }
    }
    stepsLeft += share
  }
  return swept
}

/** The last table gets what the others leave. */
function inRandomOrder(tables: readonly SweepStatements[]): SweepStatements[] {
  return tables
    .map((statements) => ({ statements, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ statements }) => statements)
}

function inTwoParts(middle: string): Part[] {
  return [
    { after: middle, until: AFTER_ALL_KEYS },
    { after: '', until: middle },
  ]
}

const AFTER_ALL_KEYS = '\x7f'

/** One sweep of so many begins with the first row, as a random row has hardly ever the first ones behind it. */
const FROM_START = 16

/** The keys of one namespace, or hashes of ids, may be most of a table. */
async function startOf(rows: Rows, { anyKey }: SweepStatements): Promise<string> {
  if (Math.random() * FROM_START < 1) return ''
  const [row] = anyKey === undefined ? [] : await rows(anyKey, [])
  if (row !== undefined) return String(row.id)
  return Array.from({ length: 2 }, () => OF_HASHES[Math.floor(Math.random() * OF_HASHES.length)]).join('')
}

const OF_HASHES = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

/** Calls of requests run meanwhile. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
