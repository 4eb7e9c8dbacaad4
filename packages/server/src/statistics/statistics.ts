import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { StatisticRow } from '../database/tables.ts'
import { EVENT_TYPES, type ServiceEvent } from '../events.ts'
import {
  addCounts,
  BATCH,
  bucketOf,
  type CountQuery,
  type Counts,
  type IntervalCount,
  intervalOf,
  keyOf,
  minuteOf,
  newCounts,
  pruneCounts,
  RESOLUTIONS,
  readCounts,
} from './statistic-rows.ts'

/** Counts for the charts of the operator's view, of all replicas and over restarts. No request waits for the database. */
export interface Statistics {
  onEvent(event: ServiceEvent): void
  onResponse(response: MeasuredResponse): void
  /** Writes the counts so far. Never rejects: counts that could not be written stay in memory. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface StatisticsOptions {
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

export function statistics(database: Database, { onWarning, now = Date.now }: StatisticsOptions): Statistics {
  const counts = newCounts()
  const waiting = waitingRows()
  let minute = minuteOf(now())
  let writing = Promise.resolve()
  let faulty = false

  function add(...counted: Parameters<Counts['add']>): void {
    const current = minuteOf(now())
    if (current !== minute) {
      waiting.add(rowsOf(counts, minute))
      minute = current
    }
    counts.add(...counted)
  }

  /** Counts that were written although the response was lost are written twice, which a chart can bear. */
  async function write(): Promise<void> {
    waiting.add(rowsOf(counts, minute))
    minute = minuteOf(now())
    for (let batch = waiting.take(); batch.length > 0; batch = waiting.take()) {
      try {
        await addCounts(database, batch)
        faulty = false
      } catch (error) {
        if (!faulty) onWarning(`The statistics wait for their database: ${error}`)
        faulty = true
        if (!waiting.putBack(batch)) onWarning('Statistics are lost, because their database is unreachable')
        return
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  async function flushAndPrune(): Promise<void> {
    await flush()
    if (!faulty)
      await pruneCounts(database, minute).catch((error) => onWarning(`Statistics were not pruned: ${error}`))
  }

  const timer = setInterval(flushAndPrune, FLUSH_MS).unref()
  return {
    onEvent(event) {
      if (COUNTED.has(event.type)) add('event', event.type)
      if (event.type !== 'refused') return
      add('reason', event.reason)
      if (event.known !== undefined) add('known_client_off', event.known)
    },
    onResponse({ method, route, seconds }) {
      add('response', `${method} ${route}`, bucketOf(seconds))
    },
    flush,
    close() {
      clearInterval(timer)
      return flush()
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

/** Rows that wait to be written, each key once. */
function waitingRows() {
  const rows = new Map<string, StatisticRow>()

  function add(more: readonly StatisticRow[]): void {
    for (const row of more) {
      const key = keyOf(row)
      rows.set(key, { ...row, count: row.count + (rows.get(key)?.count ?? 0) })
    }
  }

  return {
    add,
    take(): StatisticRow[] {
      const batch = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, BATCH)
      for (const [key] of batch) rows.delete(key)
      return batch.map(([, row]) => row)
    },
    /** `false`: too many rows wait, and all of them are dropped. */
    putBack(batch: readonly StatisticRow[]): boolean {
      add(batch)
      if (rows.size <= MAX_WAITING) return true
      rows.clear()
      return false
    },
  }
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

/** Reads counts, including the latest ones of this replica. @throws OAuthError `temporarily_unavailable` */
export interface StatisticsReader {
  read(query: CountQuery): Promise<readonly IntervalCount[]>
}

export function statisticsReader(
  database: Database,
  statistics: Pick<Statistics, 'flush'>,
): StatisticsReader {
  return errorsAs503<StatisticsReader>({
    async read(query) {
      await statistics.flush()
      return readCounts(database, query)
    },
  })
}
