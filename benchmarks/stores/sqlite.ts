import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore, migrate, type SqliteStore } from '@grantkit/store-sqlite'

/** A store in a new file on the disk, not in memory: the disk is what a durable write costs. It ends with this process. */
export function openSqlite(durability: 'machine' | 'process'): { store: SqliteStore; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'grantkit-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  const path = join(folder, 'grantkit.db')
  migrate({ path })
  return { store: createSqliteStore({ path, durability }), path }
}
