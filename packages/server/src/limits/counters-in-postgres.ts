import { onceAMinute } from '@grantkit/core/store-kit'
import { attempt } from '@grantkit/store-postgres'
import type { Pool, QueryConfig } from 'pg'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { type CreateCounter, type OnError, sharedCounters } from './counters.ts'

export interface Counters {
  readonly createCounter: CreateCounter
  readonly stopSweeping: () => void
}

/** Milliseconds. The counter itself waits less: a slow response keeps its connection, a missing one closes it. */
const ANSWER_MS = 500

/**
 * Counts in an unlogged table: a commit does not wait for the disk, and a crash of Postgres empties the table. Expired
 * windows are deleted about once a minute.
 *
 * @param prepare whether Postgres keeps the plan of the statements in each connection
 * @param onError called with the first failure after a success
 */
export function countersInPostgres(pool: Pool, prepare: boolean, onError: OnError): Counters {
  const query = ({ name, ...unnamed }: QueryConfig) =>
    attempt(pool, prepare ? { name, ...unnamed } : unnamed, ANSWER_MS)
  const storeClient = { query }
  const table = { tableName: 'rate_limit', tableCreated: true, clearExpiredByTimeout: false }
  const createCounter = sharedCounters(
    (keyPrefix, { points, seconds }) =>
      new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        ...table,
        keyPrefix,
        points,
        duration: seconds,
      }),
    onError,
  )
  return { createCounter, stopSweeping: onceAMinute(() => sweepRateLimits(pool, Date.now())) }
}

const STEP = 1000
const SWEEP = `DELETE FROM rate_limit WHERE key IN (
  SELECT key FROM rate_limit WHERE expire < $1 ORDER BY expire LIMIT ${STEP} FOR UPDATE SKIP LOCKED
)`

/** Deletes windows that ended before now, in epoch milliseconds, a thousand at a time. */
export async function sweepRateLimits(pool: Pool, now: number): Promise<void> {
  let swept: number | null = STEP
  while (swept === STEP) swept = (await attempt(pool, { text: SWEEP, values: [now] }, ANSWER_MS)).rowCount
}
