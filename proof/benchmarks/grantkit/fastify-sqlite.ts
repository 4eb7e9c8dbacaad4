import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
import { folderInMemory } from '../../../packages/test-servers/src/folder-in-memory.ts'
import type { StartTarget } from '../src/workloads.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in a SQLite file. Each commit is in its log, which is where the logs of the other stores are. */
export const start: StartTarget = async (port) => {
  const folder = await folderInMemory('bench')
  const path = join(folder, 'grantkit.db')
  migrate({ path })
  const target = await grantkitTarget(port, serve, {
    store: createSqliteStore({ path, durability: 'machine' }),
  })
  return { ...target, close: () => rm(folder, { recursive: true }) }
}
