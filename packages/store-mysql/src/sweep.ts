import { sweepDay } from '@grantkit/core/store-kit'
import type { StatementRunner } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'

/**
 * Deletes the rows that ended on a day before this one (UTC) and an hour ago, in small steps. No reader sees an expired record in any case.
 *
 * @param now epoch seconds
 * @returns the number of rows
 */
export async function sweep(
  { write }: StatementRunner,
  tables: readonly Statements[],
  now: number,
): Promise<number> {
  const today = sweepDay(now)
  let swept = 0
  for (const { sweep } of tables) {
    let count = STEP
    while (count === STEP) {
      count = (await write(sweep, [today])).header.affectedRows
      swept += count
    }
  }
  return swept
}
