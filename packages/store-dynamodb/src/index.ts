/**
 * Clients and grants in one DynamoDB table.
 *
 * @module
 */
export { CLIENT_SETTINGS } from './client-settings.ts'
export { type CreateTableOptions, createTable } from './create-table.ts'
export { createDynamoStore, type DynamoStore, type DynamoStoreOptions } from './dynamo-store.ts'
export { type SettingsOptions, settingsWarnings } from './settings-warnings.ts'
export type { TableOptions } from './table.ts'
