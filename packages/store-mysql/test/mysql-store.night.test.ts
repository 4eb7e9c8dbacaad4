import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { describeStore } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll } from 'vitest'
import { createMysqlStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf } from './pool.ts'

let server: MariaDbServer
let pool: Pool
beforeAll(async () => {
  server = await startMariaDb()
  pool = poolOf(server)
  await migrate(pool)
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

describeStore(
  'mysql',
  async ({ now }) => {
    const store = await createMysqlStore(pool, { ...PATIENT, sweeping: true, now })
    return { store, close: () => store.close(), restart: () => server.restart() }
  },
  { survivesRestart: true, transients: true, namespaces: true },
)
