import { type Kysely, PostgresAdapter, sql } from 'kysely'

type AnyDatabase = Pick<Kysely<unknown>, 'getExecutor'>

/** Compares bytes, as SQLite does: an index of Postgres then outlives an update of the system's languages. */
export function textOf(database: AnyDatabase) {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`
}

export function isPostgres(database: AnyDatabase): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter
}
