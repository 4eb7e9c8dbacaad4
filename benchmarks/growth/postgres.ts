import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { startPostgres } from '../../packages/test-servers/src/postgres-server.ts'
import { fill } from '../postgres/bare.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import type { Growing } from './growing.ts'

/** The server has one core, and this process, the client, has the other. */
export async function growingPostgres(): Promise<Growing> {
  pinThisProcess(SERVER_CORE)
  const server = await startPostgres()
  pinThisProcess(GENERATOR_CORE)
  const pool = await connectToPostgres(server.url)
  await migrate(pool)
  const { grants, close } = await createPostgresStore(pool, { commandTimeout: 10_000 })
  return {
    name: 'Postgres',
    grants,
    fill: (from, to) => fill(pool, from, to),
    async bytesPerGrant() {
      const { rows } = await pool.query(
        `SELECT pg_total_relation_size('grantkit_grant') / count(*) AS bytes FROM grantkit_grant`,
      )
      return Number(rows[0].bytes)
    },
    async close() {
      close()
      await pool.end()
      await server.close()
    },
  }
}
