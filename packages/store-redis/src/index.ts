/**
 * Clients and grants in Redis or Valkey, shared by every replica.
 *
 * @module
 */
export type { RedisCommands, ScriptInput } from './commands.ts'
export { type ConnectOptions, connectToRedis, type RedisConnection } from './connect.ts'
export type { ReadCache } from './read-cache.ts'
export { createRedisStore, type RedisStore, type RedisStoreOptions } from './redis-store.ts'
export type { ReplicationOptions } from './replication.ts'
export { type ConfigurableRedis, settingsWarnings } from './settings-warnings.ts'
