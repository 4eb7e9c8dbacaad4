/**
 * Clients and grants in one SQLite file, with what Node has built in.
 *
 * @module
 */
export { migrate, type SchemaOptions } from './schema.ts'
export { type FileOptions, settingsWarnings } from './settings-warnings.ts'
export { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts'
