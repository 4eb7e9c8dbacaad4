import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Compares bytes, as SQLite does: an index of Postgres then outlives an update of the system's languages. */
export function textOf(database: Kysely<unknown>) {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`
}

export function isPostgres(database: Kysely<unknown>): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter
}
