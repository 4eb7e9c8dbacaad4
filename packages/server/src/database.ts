/** For a service with tables of its own in the database of the server. */
export { Database, isUniqueViolation, lookup, openDatabase } from './database/database.ts'
export { errorsAs503 } from './database/errors-as-503.ts'
export type { AppMigrations, TableMigration } from './database/migrations.ts'
export { textOf } from './database/tables.ts'
