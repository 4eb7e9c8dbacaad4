import type { Tables } from './tables.ts'

/**
 * The steps to the tables for the distributed dialect, each a list of statements that may run twice. Each is a transaction:
 * some engines allow one definition in a transaction, and none has a lock for the whole step. Keys have the order of the
 * database, for not every engine has a `COLLATE` clause.
 */
export const DISTRIBUTED_MIGRATIONS: readonly ((tables: Tables) => readonly string[])[] = [firstTables]

function firstTables({ client, grant, transient, schema }: Tables): readonly string[] {
  const table = (name: string, columns = '') => `
CREATE TABLE IF NOT EXISTS ${name} (
  id         text PRIMARY KEY,${columns}
  version    text NOT NULL,
  value      text NOT NULL,
  expires_at bigint NOT NULL,
  swept_from integer NOT NULL
)`
  const index = (name: string, on: string) => `CREATE INDEX IF NOT EXISTS ${name} ON ${on}`
  return [
    table(client),
    index(`${client}_ended`, `${client} (swept_from)`),
    table(grant, '\n  subject text NOT NULL,\n  owner text NOT NULL,\n  created_at bigint NOT NULL,'),
    index(`${grant}_ended`, `${grant} (swept_from)`),
    index(`${grant}_by_subject`, `${grant} (subject, created_at, id)`),
    index(`${grant}_by_owner`, `${grant} (owner, created_at, id)`),
    table(transient),
    index(`${transient}_ended`, `${transient} (swept_from)`),
    `CREATE TABLE IF NOT EXISTS ${schema} (id integer PRIMARY KEY, version integer NOT NULL, steps integer NOT NULL)`,
  ]
}
