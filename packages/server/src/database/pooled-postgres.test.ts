import { Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { pooledPostgres } from './pooled-postgres.ts'

/** A pool whose connection answers at once, or never. */
function poolOf(query: () => Promise<unknown>): Pool {
  const release = vi.fn()
  return { connect: async () => ({ query, release }) } as unknown as Pool
}

function inTransaction(pool: Pool) {
  const database = new Kysely<object>({ dialect: pooledPostgres(pool) })
  return database.transaction().execute((transaction) => sql`select 1`.execute(transaction))
}

it('no statement of a transaction leaves a timer behind', async ({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    // First, or Vitest does it after the file, and what it restores is the fake timer.
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  await inTransaction(poolOf(async () => ({ rows: [] })))
  expect(setTimer, 'begin, select, commit').toHaveBeenCalledTimes(3)
  expect(vi.getTimerCount()).toBe(0)
})

it('a statement of a transaction without an answer fails within a second', async ({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failed = expect(inTransaction(poolOf(() => new Promise(() => {})))).rejects.toMatchObject({
    name: 'NoAnswerError',
  })
  await vi.advanceTimersByTimeAsync(2000)
  await failed
})
