/**
 * Clients, grants and transients in Postgres, shared by every replica.
 *
 * @module
 */
export { answerWithin, attempt, NoAnswerError } from './attempt.ts'
export { type ConnectOptions, connectToPostgres } from './connect.ts'
export type { DialectName } from './dialect.ts'
export { type MigrateOptions, migrate } from './migrate.ts'
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './postgres-store.ts'
export { settingsWarnings } from './settings-warnings.ts'
