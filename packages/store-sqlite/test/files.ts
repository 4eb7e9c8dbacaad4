import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore, migrate, type SqliteStore, type SqliteStoreOptions } from '../src/index.ts'

/** In memory: these tests are not about the speed of a shared disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A folder for one test, with the path of a file that is not there yet. */
export async function newFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(FOLDER, 'grantkit-sqlite-'))
  return { path: join(folder, 'grantkit.db'), remove: () => rm(folder, { recursive: true }) }
}

/** A store in a new file. */
export async function newStore(
  options: Partial<SqliteStoreOptions> = {},
): Promise<{ store: SqliteStore; path: string; close(): Promise<void> }> {
  const { path, remove } = await newFolder()
  migrate({ path, ...options })
  const store = createSqliteStore({ path, sweeping: false, ...options })
  const close = async () => {
    await store.close()
    await remove()
  }
  return { store, path, close }
}

/** What a killed process leaves: the file and its log as they are now. */
export async function copyWithLog(from: string, to: string): Promise<void> {
  for (const suffix of ['', '-wal']) await cp(from + suffix, to + suffix)
}

export const soon = () => Math.floor(Date.now() / 1000) + 600
