import { readFileSync } from 'node:fs'
import { type PostgresServer, startPostgres } from '@grantkit/test-servers/postgres-server'
import { aGrant, describeStore } from '@grantkit/testkit'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migrate } from '../src/index.ts'
import { PATIENT, poolOf } from './patient.ts'

const PAGE = new URL('../../../docs/scaling.md', import.meta.url)
const WHOLE = 500
const FAR = Math.floor(Date.now() / 1000) + 86_400

let server: PostgresServer
let pool: Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = poolOf(server.url)
  await migrate(pool)
  const { grants } = await createPostgresStore(pool, PATIENT)
  await Promise.all(Array.from({ length: WHOLE }, (_, index) => grants.insert(`${index}`, aGrant(), FAR)))
  await pool.query(partitioning())
})
afterAll(async () => {
  await pool.end()
  await server.close()
})

describe('the table of grants, divided as the page on scaling says', () => {
  it('holds every grant that it held, in each of its parts some', async () => {
    const parts = await pool.query('SELECT count(*)::int AS grants FROM grantkit_grant GROUP BY tableoid')
    const grants = parts.rows.map((part) => part.grants)
    expect(grants).toHaveLength(16)
    expect(grants.reduce((sum, of) => sum + of)).toBe(WHOLE)
  })

  it('reads one partition for a grant, by its id', async () => {
    const plan = await pool.query('EXPLAIN SELECT value FROM grantkit_grant WHERE id = $1', ['7'])
    const scanned = plan.rows.filter((row) => row['QUERY PLAN'].includes('Scan'))
    expect(scanned).toHaveLength(1)
  })
})

describeStore(
  'postgres, partitioned',
  async ({ now }) => {
    const store = await createPostgresStore(pool, { ...PATIENT, sweeping: true, now })
    return { store, close: () => store.close() }
  },
  { transients: true, namespaces: true },
)

/** The one block of SQL of the page that divides a table. */
function partitioning(): string {
  const blocks = readFileSync(PAGE, 'utf8').match(/(?<=```sql\n)[\s\S]*?(?=\n *```)/g) ?? []
  return blocks.find((block) => block.includes('PARTITION BY')) ?? 'no such block'
}
