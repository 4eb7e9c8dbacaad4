import { type Kysely, PostgresAdapter, sql } from 'kysely'

type AnyDatabase = Pick<Kysely<unknown>, 'getExecutor'>

/** Compares bytes, as SQLite does, so an index of Postgres stays valid after an update of the system's collations. */
export function textOf(database: AnyDatabase) {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`
}

export function isPostgres(database: AnyDatabase): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter
}
