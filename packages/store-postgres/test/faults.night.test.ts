import { countDespite, FAULTS_OF_SERVERS } from '@grantkit/test-servers/counting'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { startProxy, type TcpProxy } from '@grantkit/test-servers/tcp-proxy'
import { aGrant } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, it } from 'vitest'
import { connectToPostgres, createPostgresStore, migrate, type PostgresStore } from '../src/index.ts'

/** Many count together in the same grants while everything breaks. */

let server: PostgresServer
let network: TcpProxy
let pool: Pool
let store: PostgresStore
beforeAll(async () => {
  server = await startPostgres()
  network = await startProxy(server.port)
  pool = await connectToPostgres(server.url.replace(`${server.port}`, `${network.port}`))
  await migrate(pool)
  store = await createPostgresStore(pool)
})
afterAll(async () => {
  await pool.end()
  await network.close()
  await server.close()
})

it.each(FAULTS_OF_SERVERS)('loses and doubles no write while Postgres %s', (_, fault) =>
  countDespite(fault, { grants: store.grants, newGrant: aGrant }, network, server),
)
