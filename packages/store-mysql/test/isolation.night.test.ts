import { type MariaDbServer, startMariaDb } from '@grantkit/test-servers/mariadb-server'
import { describeStore } from '@grantkit/testkit'
import { createPool, type PoolOptions } from 'mysql2/promise'
import { createMysqlStore, migrate } from '../src/index.ts'
import { PATIENT } from './pool.ts'

/** Pools that no README has prepared: another isolation level, counts of changed rows instead of found ones, rows of another form. */

const POOLS: readonly [string, string, PoolOptions, sqlMode?: string][] = [
  ['REPEATABLE READ, as the server comes', 'REPEATABLE-READ', {}],
  ['SERIALIZABLE, without FOUND_ROWS', 'SERIALIZABLE', { flags: ['-FOUND_ROWS'] }],
  [
    'READ COMMITTED, with every option of mysql2',
    'READ-COMMITTED',
    {
      charset: 'latin1',
      rowsAsArray: true,
      namedPlaceholders: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      nestTables: true,
      typeCast: () => 'nothing of use',
      flags: ['-FOUND_ROWS'],
    },
    'NO_BACKSLASH_ESCAPES,ANSI',
  ],
]

for (const [name, isolation, options, sqlMode] of POOLS)
  describeStore(
    `mysql in ${name}`,
    async ({ now }) => {
      const server: MariaDbServer = await startMariaDb(
        `--transaction-isolation=${isolation}`,
        '--innodb-snapshot-isolation=ON',
      )
      const pool = createPool({ uri: server.url, ...options })
      if (sqlMode !== undefined)
        pool.on('connection', (connection) => void connection.query(`SET SESSION sql_mode = '${sqlMode}'`))
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
