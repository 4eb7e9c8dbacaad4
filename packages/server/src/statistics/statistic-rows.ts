import type { Database } from '../database/database.ts'
import type { StatisticRow } from '../database/tables.ts'
import type { StatisticName } from './counts.ts'
import { RESOLUTIONS } from './resolutions.ts'

/** Rows of one statement. SQLite works in the event loop: this many take some milliseconds. */
export const BATCH = 500

/** Adds to the counts of other replicas. @param rows at most `BATCH`, in the order of `keyOf` */
export async function addCounts(database: Database, rows: readonly StatisticRow[]): Promise<void> {
  await database
    .insertInto('statistic')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['resolution', 'start', 'name', 'label', 'bucket'])
        .doUpdateSet(({ eb, ref }) => ({ count: eb('statistic.count', '+', ref('excluded.count')) })),
    )
    .execute()
}

/** Replicas that write rows in the same order do not wait for each other in a circle. */
export function keyOf({ resolution, start, name, label, bucket }: StatisticRow): string {
  return [resolution, start, name, bucket, label].join(' ')
}

/** Deletes rows that are older than their resolution keeps them. @param minute the current one */
export async function pruneCounts(database: Database, minute: number): Promise<void> {
  for (const { minutes, kept } of RESOLUTIONS)
    await database
      .deleteFrom('statistic')
      .where('resolution', '=', minutes)
      .where('start', '<', minute - kept)
      .execute()
}

/** Which counts to read. */
export interface CountQuery {
  readonly name: StatisticName
  /** The length of the intervals of the rows, in minutes: one of `RESOLUTIONS`. */
  readonly resolution: number
  /** The length of the intervals of the result, in minutes: a multiple of it. */
  readonly step: number
  /** Minutes since the epoch. */
  readonly since: number
}

/** The counts of one interval. */
export interface IntervalCount {
  /** The beginning of the interval, in minutes since the epoch. */
  readonly start: number
  readonly label: string
  readonly bucket: number
  readonly count: number
}

/** Of all replicas, ordered by time. */
export async function readCounts(
  database: Database,
  { name, resolution, step, since }: CountQuery,
): Promise<IntervalCount[]> {
  const rows = await database
    .selectFrom('statistic')
    .select(({ eb, fn }) => [
      eb('start', '-', eb('start', '%', eb.lit(step))).as('begin'),
      'label',
      'bucket',
      fn.sum('count').as('count'),
    ])
    .where('resolution', '=', resolution)
    .where('start', '>=', since)
    .where('name', '=', name)
    .groupBy(['begin', 'label', 'bucket'])
    .orderBy('begin')
    .execute()
  // Postgres returns a sum as a text.
  return rows.map(({ begin, label, bucket, count }) => ({
    ...{ start: Number(begin), label, bucket },
    count: Number(count),
  }))
}
