import { countDespite, FAULTS_OF_SERVERS } from '@grantkit/test-servers/counting'
import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll, it } from 'vitest'
import { createMysqlStore, type MysqlStore, migrate } from '../src/index.ts'
import { poolOf } from './pool.ts'

/** Many count together in the same grants while everything breaks. */

let server: MariaDbServer
let network: TcpProxy
let pool: Pool
let store: MysqlStore
beforeAll(async () => {
  server = await startMariaDb()
  network = await startProxy(server.port)
  pool = poolOf({ url: server.url.replace(`${server.port}`, `${network.port}`) }, { connectTimeout: 1000 })
  await migrate(pool)
  store = await createMysqlStore(pool)
})
afterAll(async () => {
  store.close()
  await pool.end()
  await network.close()
  await server.close()
})

it.each(FAULTS_OF_SERVERS)('loses and doubles no write while MySQL %s', (_, fault) =>
  countDespite(fault, { grants: store.grants, newGrant: aGrant }, network, server),
)
