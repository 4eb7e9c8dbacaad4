import { createMysqlStore, migrate } from '@grantkit/store-mysql'
import { createPool } from 'mysql2/promise'
import { startMariaDb } from '../../../packages/test-servers/src/mariadb-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in its own MariaDB, which waits for its log at every commit. */
export const start: StartTarget = async (port) => {
  const { url, close } = await onGeneratorCore(() => startMariaDb('--transaction-isolation=READ-COMMITTED'))
  const pool = createPool({ uri: url, connectTimeout: 1000 })
  await migrate(pool)
  // A long limit: a disk that stalls for a second must not end a run.
  const store = await createMysqlStore(pool, { commandTimeout: 10_000 })
  return { ...(await grantkitTarget(port, serve, { store })), close }
}
