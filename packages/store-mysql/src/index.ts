/**
 * Clients, grants and transients in MySQL or MariaDB, shared by every replica.
 *
 * @module
 */
export { type MigrateOptions, migrate } from './migrate.ts'
export { createMysqlStore, type MysqlStore, type MysqlStoreOptions } from './mysql-store.ts'
export { settingsWarnings } from './settings-warnings.ts'
