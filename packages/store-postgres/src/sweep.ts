import { sweepDay } from '@grantkit/core/store-kit'
import type { RunStatement, Statement } from './run-statement.ts'
import { STEP, type Statements } from './statements.ts'

/** Rows that are deleted at the same time, each by a statement of its own: most of the connections are for requests. */
const AT_ONCE = 4

/**
 * Deletes the rows that ended on a day before this one (UTC) and an hour ago, in small steps that leave out what others write. No reader sees an
 * expired record in any case.
 *
 * @param now epoch seconds
 * @returns the number of rows
 */
export async function sweep(run: RunStatement, tables: readonly Statements[], now: number): Promise<number> {
  const today = sweepDay(now)
  let swept = 0
  for (const { sweep, sweepOne } of tables) {
    let found = STEP
    while (found === STEP) {
      const { rows, count } = await run(sweep, [today])
      found = count
      const ids = rows.map(({ id }) => id)
      swept += sweepOne === undefined ? count : await sweepEach(run, sweepOne, { ids, today })
    }
  }
  return swept
}

async function sweepEach(
  run: RunStatement,
  sweepOne: Statement,
  { ids, today }: { readonly ids: readonly string[]; readonly today: number },
): Promise<number> {
  let swept = 0
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE)
    for (const { count } of await Promise.all(some.map((id) => run(sweepOne, [id, today])))) swept += count
  }
  return swept
}
