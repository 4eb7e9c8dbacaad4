import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore, migrate, type SqliteStore } from '@grantkit/store-sqlite'

/**
 * A store in a new file. It ends with this process.
 *
 * @param folder of its own; by default one on the disk, which is what a durable write costs
 */
export function openSqlite(
  durability: 'machine' | 'process',
  folder = mkdtempSync(join(tmpdir(), 'grantkit-bench-')),
): { store: SqliteStore; path: string } {
  process.on('exit', () => rmSync(folder, { recursive: true }))
  const path = join(folder, 'grantkit.db')
  migrate({ path })
  return { store: createSqliteStore({ path, durability }), path }
}
