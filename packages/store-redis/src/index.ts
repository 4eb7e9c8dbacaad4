/**
 * Clients and grants in Redis or Valkey, shared by every replica.
 *
 * @module
 */
export type { RedisCommands } from './commands.ts'
export { type ConnectOptions, connectToRedis } from './connect.ts'
export { createRedisStore, type RedisStoreOptions } from './redis-store.ts'
export { type ConfigurableRedis, settingsWarnings } from './settings-warnings.ts'
