import { DatabaseSync } from 'node:sqlite'
import { END, idOf, RECORD, VERSION } from '../postgres/bare.ts'
import { openSqlite } from '../stores/sqlite.ts'
import type { Growing } from './growing.ts'

/** Each change waits for the disk. */
export function growingSqlite(): Growing {
  const { store, path } = openSqlite('machine')
  const database = new DatabaseSync(path)
  const insert = database.prepare(
    'INSERT INTO grantkit_grant (id, subject, version, value, expires_at) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    name: 'SQLite',
    grants: store.grants,
    async fill(from, to) {
      database.exec('BEGIN IMMEDIATE')
      for (let n = from; n < to; n++) insert.run(idOf(n), idOf(-n), VERSION, RECORD, END)
      database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
    },
    async bytesPerGrant() {
      const size = `page_count * page_size FROM pragma_page_count, pragma_page_size`
      const row = database.prepare(`SELECT ${size}`).get()
      const { grants } = database.prepare('SELECT count(*) AS grants FROM grantkit_grant').get() as {
        grants: number
      }
      return Number(Object.values(row ?? {})[0]) / grants
    },
    async close() {
      database.close()
      store.close()
    },
  }
}
