import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '../../../packages/test-servers/src/folder-in-memory.ts'
import type { StartTarget } from '../src/workloads.ts'
import { startService } from './reference-service.ts'

/** The reference service with records and accounts in SQLite files. */
export const start: StartTarget = async (port) => {
  const folder = await folderInMemory('bench')
  const files = {
    STORE_URL: `sqlite:${join(folder, 'records.db')}`,
    DATABASE_URL: `sqlite:${join(folder, 'accounts.db')}`,
  }
  const { close, ...target } = await startService(port, files)
  return { ...target, close: async () => Promise.all([close?.(), rm(folder, { recursive: true })]) }
}
