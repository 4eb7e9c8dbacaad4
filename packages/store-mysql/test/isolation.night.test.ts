import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { describeStore } from '@grantkit/testkit'
import { createPool, type PoolOptions } from 'mysql2/promise'
import { createMysqlStore, migrate } from '../src/index.ts'
import { PATIENT } from './pool.ts'

/** Pools that no README has prepared: another isolation level, and counts of changed rows instead of found ones. */

const POOLS: readonly [string, string, PoolOptions][] = [
  ['REPEATABLE READ, as the server comes', 'REPEATABLE-READ', {}],
  ['SERIALIZABLE, without FOUND_ROWS', 'SERIALIZABLE', { flags: ['-FOUND_ROWS'] }],
]

for (const [name, isolation, options] of POOLS)
  describeStore(
    `mysql in ${name}`,
    async ({ now }) => {
      const server: MariaDbServer = await startMariaDb(
        `--transaction-isolation=${isolation}`,
        '--innodb-snapshot-isolation=ON',
      )
      const pool = createPool({ uri: server.url, ...options })
      await migrate(pool)
      const store = await createMysqlStore(pool, { ...PATIENT, now })
      const close = async () => {
        store.close()
        await pool.end()
        await server.close()
      }
      return { store, close }
    },
    { transients: true, namespaces: true },
  )
