import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { startPostgresHere } from '../postgres/server.ts'
import type { StartTarget } from '../src/target.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in its own Postgres. */
export const start: StartTarget = async (port) => {
  const pool = await connectToPostgres(await startPostgresHere())
  await migrate(pool)
  // A long limit: a disk that stalls for a second must not end a run of half an hour.
  const store = await createPostgresStore(pool, { commandTimeout: 10_000 })
  return grantkitTarget(port, (service) => serve(service, port), store)
}
