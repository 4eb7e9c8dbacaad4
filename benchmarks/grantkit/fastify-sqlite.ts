import type { StartTarget } from '../src/target.ts'
import { openSqlite } from '../stores/sqlite.ts'
import { serve } from './fastify.ts'
import { grantkitTarget } from './target.ts'

/** Fastify, with records in a SQLite file whose every commit is on the disk. */
export const start: StartTarget = (port) =>
  grantkitTarget(port, (service) => serve(service, port), openSqlite('machine').store)
