import { countDuring } from '@grantkit/test-servers/counting'
import { aGrant, describeStore } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'
import { DISTRIBUTED, poolOf } from './patient.ts'
import { fiftyRefreshes, signedIn } from './signed-in.ts'

/** Of a store over a network that may fail over. */
const TEST_TIMEOUT = 120_000
const ROUNDS = 20

export interface EngineUnderTest {
  /** Of an empty database, or one with the tables of an earlier trial. */
  readonly url: () => string
  /**
   * Kills one node, or waits while a person does. Without it no node is killed.
   *
   * @param more as for `countDuring`
   */
  readonly killNode?: ((more: () => Promise<void>) => Promise<void>) | undefined
}

/** Tests an engine that speaks the protocol of Postgres: tables, `describeStore`, fifty refreshes at once, a killed node. */
export function describeEngine(name: string, { url, killNode }: EngineUnderTest): void {
  const prefix = 'trial_'
  let pool: Pool
  let store: PostgresStore
  beforeAll(async () => {
    pool = poolOf(url())
    await Promise.all([1, 2].map(() => migrate(pool, { dialect: 'distributed', prefix })))
    store = await createPostgresStore(pool, { ...DISTRIBUTED, prefix })
  }, TEST_TIMEOUT)
  afterAll(() => pool.end())

  describeStore(
    name,
    async ({ now }) => ({ store: await createPostgresStore(pool, { ...DISTRIBUTED, prefix, now }) }),
    { transients: true, namespaces: true, testTimeout: TEST_TIMEOUT },
  )

  describe(`an authorization server on ${name}`, { timeout: TEST_TIMEOUT }, () => {
    it(`answers fifty refreshes of one token with one successor, in ${ROUNDS} rounds`, async () => {
      const unknown = { answers: 0 }
      for (let round = 0; round < ROUNDS; round++) {
        const { statuses, successors } = await fiftyRefreshes(await signedIn(store))
        expect(successors).toHaveLength(1)
        unknown.answers += statuses.filter((status) => status === 503).length
      }
      console.info(`${name}: ${unknown.answers} of ${50 * ROUNDS} refreshes got a 503 first`)
    })

    it.runIf(killNode)('loses and doubles no write while a node is killed', { timeout: 0 }, async () => {
      const connected = await connectToPostgres(url())
      onTestFinished(() => connected.end())
      const brisk = await createPostgresStore(connected, { dialect: 'distributed', prefix, sweeping: false })
      const counted = await countDuring({ grants: brisk.grants, newGrant: aGrant }, async (more) =>
        killNode?.(more),
      )
      console.info(`${name}:`, counted)
      expect(counted.written).toBeGreaterThan(0)
    })

    it('sweeps what has ended', async () => {
      const past = Math.floor(Date.now() / 1000) + 400 * 86_400
      const later = await createPostgresStore(pool, { ...DISTRIBUTED, prefix, now: () => past })
      expect(await later.sweep()).toBeGreaterThan(0)
    })
  })
}
