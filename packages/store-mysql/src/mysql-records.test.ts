import { keysOf } from '@grantkit/core/store-kit'
import { aTransient } from '@grantkit/testkit'
import type { ResultSetHeader } from 'mysql2/promise'
import { expect, it } from 'vitest'
import { mysqlRecords } from './mysql-records.ts'
import { statementsOf } from './statements.ts'

/** A proxy in front of MySQL that loses what the server says about a write. */
it.each([
  ['a row that was written or left alone', { affectedRows: 1, insertId: 0 }],
  ['a row that took the place of another', { affectedRows: 2, insertId: 0 }],
])('no write succeeds, or is refused, whose answer only counts %s', async (_, header) => {
  const table = {
    read: async () => [],
    write: async () => ({ header: header as ResultSetHeader, repeated: false }),
    statements: statementsOf('t', ['id', 'version', 'value', 'expires_at'], 500),
    now: () => 0,
  }
  const records = mysqlRecords(table, keysOf())
  const value = aTransient({ id: 'id' })
  await expect(records.insert('id', value, 1)).rejects.toThrow('LAST_INSERT_ID')
  await expect(records.replace('id', { value, version: 'v' }, value, 1)).rejects.toThrow('LAST_INSERT_ID')
})
