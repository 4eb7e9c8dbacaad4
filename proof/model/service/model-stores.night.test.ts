import type { Store } from '@grantkit/core'
import type { Grant } from '@grantkit/core/feature'
import { createMysqlStore, migrate as migrateMysql } from '@grantkit/store-mysql'
import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { connectToRedis, createRedisStore } from '@grantkit/store-redis'
import { startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startPostgres } from '@grantkit/test-servers/postgres-server'
import { startRedis } from '@grantkit/test-servers/redis-server'
import { createPool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tracesIn } from '../core/itf.ts'
import { replay } from '../core/replay.ts'
import type { NowAt } from '../core/replicas.ts'
import { Rules } from '../core/rules.ts'
import { KEPT } from '../kept-traces.ts'

const clock = { now: 0 }
const now = () => clock.now
/** A busy machine is not the subject of these tests. */
const PATIENT = { commandTimeout: 10_000 }

interface Opened {
  readonly grants: Store['grants']
  close(): Promise<unknown>
}

async function onPostgres(): Promise<Opened> {
  const server = await startPostgres()
  const pool = await connectToPostgres(server.url)
  await migrate(pool)
  const { grants } = await createPostgresStore(pool, { ...PATIENT, sweeping: false, now })
  return { grants, close: () => pool.end().then(() => server.close()) }
}

async function onMysql(): Promise<Opened> {
  const server = await startMariaDb()
  const pool = createPool(server.url)
  await migrateMysql(pool)
  const { grants } = await createMysqlStore(pool, { ...PATIENT, sweeping: false, now })
  return { grants, close: () => pool.end().then(() => server.close()) }
}

async function onRedis(): Promise<Opened> {
  const server = await startRedis()
  const redis = await connectToRedis(server.url)
  const { grants } = createRedisStore(redis, PATIENT)
  const close = async () => {
    redis.destroy()
    await server.close()
  }
  return { grants: onTheClock(grants), close }
}

/** Redis forgets by the time of its computer, so these records end by the clock of the trace. */
function onTheClock(grants: Store['grants']): Store['grants'] {
  const ends = new Map<string, number>()
  const forget = async (id: string) => {
    if (now() >= (ends.get(id) ?? Number.POSITIVE_INFINITY)) await grants.remove(id)
  }
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
  const noted = (id: string, expiresAt: number) => (written: boolean) => {
    if (written) ends.set(id, expiresAt)
    return written
  }
  return {
    ...grants,
    find: (id) => forget(id).then(() => grants.find(id)),
    insert: (id, grant: Grant, expiresAt) =>
      forget(id).then(() => grants.insert(id, grant, inAnHour()).then(noted(id, expiresAt))),
    replace: (id, seen, grant, expiresAt) =>
      forget(id).then(() => grants.replace(id, seen, grant, inAnHour()).then(noted(id, expiresAt))),
  }
}

describe.each([
  ['Postgres', onPostgres],
  ['MySQL', onMysql],
  ['Redis', onRedis],
])('core on %s does what the model of a grant did', (_, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it.each(tracesIn(process.env.MODEL_TRACES ?? KEPT))('in $name', async (trace) => {
    const { grants } = opened
    const replicas = (nowAt: NowAt, isDevice: boolean) => new Rules(grants, nowAt, trace.name, isDevice)
    await replay({ grants, clock, replicas }, trace, (actions, { model, core }) =>
      expect(core, `after ${actions}`).toEqual(model),
    )
  })
})
