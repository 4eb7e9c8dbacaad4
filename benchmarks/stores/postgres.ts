import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres'
import { startPostgres } from '../../packages/test-servers/src/postgres-server.ts'
import { findBare, replaceBare } from '../postgres/bare.ts'
import { GENERATOR_CORE, pinThisProcess, SERVER_CORE } from '../src/cores.ts'
import { anyOf, type Contender, storeContender, times } from './contender.ts'

/** The store in Postgres, and its driver alone on the same grants. */
export async function openPostgres(ids: readonly string[]): Promise<[Contender, Contender]> {
  pinThisProcess(SERVER_CORE)
  const server = await startPostgres()
  pinThisProcess(GENERATOR_CORE)
  const pool = await connectToPostgres(server.url)
  await migrate(pool)
  const store = await createPostgresStore(pool, { commandTimeout: 10_000 })
  const bare: Contender = {
    name: 'bare pg',
    find: (atOnce) => times(atOnce, async () => JSON.parse((await findBare(pool, anyOf(ids))).value)),
    change: (atOnce) =>
      times(atOnce, async () => {
        const id = anyOf(ids)
        const { value, version } = await findBare(pool, id)
        await replaceBare(pool, id, JSON.stringify(JSON.parse(value)), version)
      }),
    close: async () => {
      await pool.end()
      await server.close()
    },
  }
  return [await storeContender('Postgres, as it comes', store, ids, async () => store.close()), bare]
}
