import type { KyselyPlugin } from 'kysely'
import type { Database } from '../src/database/database.ts'

const WRITES = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']

/** The same database, whose write number `failing` fails before it is sent. The first one is number 1. */
export function failingAt(failing: number, database: Database): Database {
  let writes = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (WRITES.includes(node.kind) && ++writes === failing) throw new Error(`Write ${failing} failed`)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return database.withPlugin(plugin) as Database
}
