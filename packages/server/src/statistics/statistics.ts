import { DAY_MINUTES } from '../config/time-units.ts'
import type { Database } from '../database/database.ts'
import { errorsAs503, kindOfError } from '../database/errors-as-503.ts'
import { rowQueue } from '../database/row-queue.ts'
import type { StatisticRow } from '../database/tables.ts'
import { EVENT_TYPES, type ServiceEvent } from '../events.ts'

interface StatisticsOptions {
  /** Called once for each outage of the database, and about counts that are lost. */
  readonly onWarning: (warning: string) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
}

const FLUSH_MS = 60_000
/** Every event looks here. */
const COUNTED: ReadonlySet<string> = new Set(EVENT_TYPES)

/** Rows in memory while the database is unreachable; one has about 200 bytes. */
const MAX_WAITING = 50_000

export type Statistics = ReturnType<typeof statistics>

/** Counts for the charts of the operator's view, of all replicas and over restarts. No request waits for the database. */
export function statistics(database: Database, { onWarning, now = Date.now }: StatisticsOptions) {
  const counts = newCounts()
  // Counts that were written although the response was lost are written twice, which a chart can bear.
  const queue = rowQueue<StatisticRow>({
    name: 'record of statistics',
    insert: (batch) => addCounts(database, merged(batch)),
    onWarning,
  })
  let minute = minuteOf(now())
  let isFull = false

  /** Ends the minute of what was counted. */
  function take(): void {
    const lost = rowsOf(counts, minute).filter((row) => !queue.add(row, MAX_WAITING))
    if (lost.length > 0 && !isFull) onWarning('Statistics are lost, because their database is unreachable')
    isFull = lost.length > 0
    minute = minuteOf(now())
  }

  function add(...counted: Parameters<Counts['add']>): void {
    if (minuteOf(now()) !== minute) take()
    counts.add(...counted)
  }

  /** Writes the counts so far. Never rejects: counts that could not be written stay in memory. */
  function flush(): Promise<void> {
    take()
    return queue.flush()
  }

  /** The queue reports outages. */
  async function prune(): Promise<void> {
    await pruneCounts(database, minute).catch((error) => {
      if (kindOfError(error) !== 'outage') onWarning(`Statistics were not pruned: ${error}`)
    })
  }

  const timer = setInterval(() => void flush().then(prune), FLUSH_MS).unref()
  return {
    onEvent(event: ServiceEvent): void {
      if (COUNTED.has(event.type)) add('event', event.type)
      if (event.type === 'sign_in_refused') add('sign_in_refused', `${event.provider} ${event.reason}`)
      if (event.type !== 'refused') return
      add('reason', event.reason)
      if (event.known !== undefined) add('known_client_off', event.known)
    },
    onResponse({ method, route, seconds }: MeasuredResponse): void {
      add('response', `${method} ${route}`, bucketOf(seconds))
    },
    flush,
    close(): Promise<void> {
      clearInterval(timer)
      take()
      return queue.close()
    },
  }
}

/** What was counted in this minute, once for each resolution. */
function rowsOf(counts: Counts, minute: number): StatisticRow[] {
  return counts.take().flatMap((counted) =>
    RESOLUTIONS.map((resolution) => ({
      ...counted,
      resolution: resolution.minutes,
      start: intervalOf(minute, resolution),
    })),
  )
}

/** Each key once, in the order of the keys: replicas that write in the same order do not wait for each other in a circle. */
export function merged(rows: readonly StatisticRow[]): StatisticRow[] {
  const byKey = new Map<string, StatisticRow>()
  for (const row of rows) {
    const key = keyOf(row)
    byKey.set(key, { ...row, count: row.count + (byKey.get(key)?.count ?? 0) })
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function keyOf({ resolution, start, name, label, bucket }: StatisticRow): string {
  return [resolution, start, name, bucket, label].join(' ')
}

/** A response and how long it took. No member contains input of a caller. */
interface MeasuredResponse {
  readonly method: string
  /** The path as it is mounted, as `/admin/users`. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export type OnResponse = (response: MeasuredResponse) => void

export type StatisticsReader = ReturnType<typeof statisticsReader>

/** How complete the counts are that {@link statisticsReader} reads. */
export const OTHERS_LAG = 'Other processes of the server add their numbers once a minute.'

/** Reads counts, including the latest ones of this replica. @throws OAuthError `temporarily_unavailable` */
export function statisticsReader(database: Database, statistics: Pick<Statistics, 'flush'>) {
  return errorsAs503({
    async read(query: CountQuery): Promise<readonly IntervalCount[]> {
      await statistics.flush()
      return readCounts(database, query)
    },
  })
}

// The rows of the table `statistic`.

/** Adds to the counts of other replicas. @param rows some hundreds, as `merged` orders them */
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

/** Deletes rows that are older than their resolution keeps them. @param minute the current one */
async function pruneCounts(database: Database, minute: number): Promise<void> {
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

/**
 * What is counted: `event` by its type, `reason` of a refused request, `known_client_off` by the id of the refused client,
 * `sign_in_refused` by provider and reason, `response` by its route and its duration.
 */
type StatisticName = 'event' | 'reason' | 'known_client_off' | 'sign_in_refused' | 'response'

/** How often something happened. */
interface Counted {
  readonly name: StatisticName
  readonly label: string
  /** Of the duration of a response; 0 for everything else. */
  readonly bucket: number
  readonly count: number
}

/** Labels are event types, reasons and routes; a feature may bring more. No caller can fill the memory. */
const MAX_LABELS = 500
const OTHER = 'other'

type Counts = ReturnType<typeof newCounts>

/** Counts in memory: an addition is two lookups. */
export function newCounts() {
  const counts = new Map<StatisticName, Map<string, number[]>>()

  function newBuckets(name: StatisticName, label: string): number[] {
    const labels = counts.get(name) ?? new Map<string, number[]>()
    counts.set(name, labels)
    const kept = labels.size < MAX_LABELS ? label : OTHER
    const buckets = labels.get(kept) ?? []
    labels.set(kept, buckets)
    return buckets
  }

  return {
    add(name: StatisticName, label: string, bucket = 0): void {
      const buckets = counts.get(name)?.get(label) ?? newBuckets(name, label)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    },
    /** Everything since the last call. */
    take(): Counted[] {
      const taken = [...counts].flatMap(([name, labels]) =>
        [...labels].flatMap(([label, buckets]) =>
          // A bucket without a response is a hole, which `flatMap` skips.
          buckets.flatMap((count, bucket) => [{ name, label, bucket, count }]),
        ),
      )
      counts.clear()
      return taken
    },
  }
}

/** How fine counts are, and for how long they stay. All times are minutes since the epoch. */
interface Resolution {
  /** The length of an interval, in minutes. */
  readonly minutes: number
  /** For how many minutes its rows are kept. */
  readonly kept: number
}

const HOUR = 60

/** A chart of a month reads hours and one of an hour reads minutes: the table stays small, and no chart reads many rows. */
export const RESOLUTIONS = [
  { minutes: 1, kept: 3 * HOUR },
  { minutes: 10, kept: 3 * DAY_MINUTES },
  { minutes: HOUR, kept: 32 * DAY_MINUTES },
] as const satisfies readonly Resolution[]

/** The beginning of the interval that has this minute. */
export function intervalOf(minute: number, { minutes }: Pick<Resolution, 'minutes'>): number {
  return minute - (minute % minutes)
}

export function minuteOf(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000)
}

/** Upper ends in seconds, from a bearer check without a store lookup to a password check. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** The index of the bucket of a duration; the one after the last for longer durations. */
export function bucketOf(seconds: number): number {
  const index = DURATION_BUCKETS.findIndex((end) => seconds <= end)
  return index === -1 ? DURATION_BUCKETS.length : index
}

/**
 * The duration in seconds that this share of responses did not exceed, interpolated within its bucket as `histogram_quantile`
 * of Prometheus does. The end of the last bucket for longer durations; `undefined` without responses.
 *
 * @param counts by bucket @param share between 0 and 1
 */
export function quantile(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let below = 0
  for (const [index, end] of DURATION_BUCKETS.entries()) {
    const count = counts[index] ?? 0
    if (count > 0 && below + count >= share * total) {
      const begin = DURATION_BUCKETS[index - 1] ?? 0
      return begin + ((end - begin) * (share * total - below)) / count
    }
    below += count
  }
  return DURATION_BUCKETS.at(-1)
}
