import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { startPostgres } from '../../../packages/test-servers/src/postgres-server.ts'
import { onGeneratorCore } from '../src/machine.ts'
import type { StartTarget } from '../src/workloads.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in its own Postgres, which waits for its log at every commit. */
export const start: StartTarget = async (port) => {
  const { url, close } = await onGeneratorCore(() => startPostgres())
  const pool = await connectToPostgres(url)
  await migrate(pool)
  // A long limit: a disk that stalls for a second must not end a run of half an hour.
  const store = await createPostgresStore(pool, { commandTimeout: 10_000 })
  return { ...(await grantkitTarget(port, serve, { store })), close }
}
