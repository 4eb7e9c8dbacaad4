import { UnknownOutcomeError } from '@grantkit/core/store-kit'
import type { StatementRunner } from './run-statement.ts'
import type { Statements } from './statements.ts'
import { together } from './together.ts'

/** Nothing to share a statement with. */
const ALONE: ReadonlyMap<string, string> = new Map()

/** A compare-and-swap of one row. */
export interface Replacement {
  readonly key: string
  readonly value: string
  /** The version that it writes. */
  readonly version: string
  readonly expiresAt: number
  /** The version that it replaces. */
  readonly seen: string
}

/**
 * Replaces rows, for many requests in one statement and one commit. A row that another transaction has locked is left
 * out of it and has a statement of its own, so that it holds up no other. So has every row when the statement fails.
 *
 * @param now epoch seconds
 */
export function replaceTogether(
  { runOnce, twice }: StatementRunner,
  { replace, replaceAll }: Statements,
  now: () => number,
): (one: Replacement) => Promise<boolean> {
  /** The version of each row that was free, `null` if it was not replaced. */
  const replaceFree =
    replaceAll === undefined
      ? async () => ALONE
      : together(async (all: readonly Replacement[]) => {
          if (all.length === 1) return ALONE
          const { rows } = await runOnce(replaceAll, [...columnsOf(all), now()])
          return new Map(rows.map(({ id, version }) => [id, version]))
        })

  return (one) =>
    twice(async (milliseconds, repeated) => {
      const { key, value, version, expiresAt, seen } = one
      const found = repeated ? undefined : (await replaceFree(one)).get(key)
      if (found !== undefined) return found === version
      const { count } = await runOnce(replace, [key, value, version, expiresAt, seen, now()], milliseconds)
      // Not a lost race: the version of the first attempt may have been there, and a later write replaced it.
      if (count === 0 && repeated) throw new UnknownOutcomeError()
      return count === 1
    })
}

function columnsOf(all: readonly Replacement[]): (readonly (string | number)[])[] {
  const column = (name: keyof Replacement) => all.map((one) => one[name])
  return [column('key'), column('value'), column('version'), column('expiresAt'), column('seen')]
}
