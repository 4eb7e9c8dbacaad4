import { folderInMemory } from '../../packages/test-servers/src/folder-in-memory.ts'
import type { StartTarget } from '../src/target.ts'
import { openSqlite } from '../stores/sqlite.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in a SQLite file. Each commit is in its log, which is where the logs of the other stores are. */
export const start: StartTarget = async (port) => {
  const { store } = openSqlite('machine', await folderInMemory('bench'))
  return grantkitTarget(port, (service) => serve(service, port), store)
}
