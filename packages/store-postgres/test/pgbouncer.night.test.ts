import { type PgBouncer, startPgBouncer } from '@grantkit/test-servers/pgbouncer'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { describeStore } from '@grantkit/testkit'
import { createPostgresStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf } from './patient.ts'

describeStore(
  'postgres behind PgBouncer in transaction mode',
  async ({ now }) => {
    const server: PostgresServer = await startPostgres('fsync=off')
    const bouncer: PgBouncer = await startPgBouncer(server.port)
    const pool = poolOf(bouncer.url)
    await migrate(pool)
    const store = await createPostgresStore(pool, { ...PATIENT, now, prepare: false })
    const close = async () => {
      store.close()
      await pool.end()
      await bouncer.close()
      await server.close()
    }
    return { store, close }
  },
  { transients: true, namespaces: true },
)
