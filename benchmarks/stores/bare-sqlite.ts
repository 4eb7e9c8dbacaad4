import { DatabaseSync } from 'node:sqlite'
import type { Contender } from './contender.ts'

const NO_END = Math.floor(Date.now() / 1000) + 86_400

/**
 * The statements of the store and the JSON of a record, without the store. As many changes as come at once share a
 * transaction. Nobody can be faster on node:sqlite.
 */
export function bareSqlite(path: string, ids: readonly string[], synchronous: 'FULL' | 'NORMAL'): Contender {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  const select = database.prepare('SELECT value, version FROM grantkit_grant WHERE id = ? AND expires_at > ?')
  const update = database.prepare(
    'UPDATE grantkit_grant SET version = ?, value = ?, expires_at = ? WHERE id = ? AND version = ? AND expires_at > ?',
  )
  const now = Math.floor(Date.now() / 1000)
  const anyId = () => ids[Math.floor(Math.random() * ids.length)] as string
  const find = (id: string) => {
    const row = select.get(id, now)
    return { value: JSON.parse(String(row?.value)), version: String(row?.version) }
  }
  let count = 0
  return {
    name: `bare node:sqlite, ${synchronous}`,
    find: async (atOnce) => {
      for (let each = 0; each < atOnce; each++) find(anyId())
    },
    change: async (atOnce) => {
      database.exec('BEGIN IMMEDIATE')
      for (let each = 0; each < atOnce; each++) {
        const id = anyId()
        const { value, version } = find(id)
        const next = String(count++).padStart(22, '0')
        update.run(next, JSON.stringify(value), NO_END, id, version, now)
      }
      database.exec('COMMIT')
    },
    close: async () => database.close(),
  }
}
