export type { DemoAccount } from './accounts/open-accounts.ts'
export { type Config, type ConfigOptions, defineConfig, parseConfig } from './config/config.ts'
export { ConfigError } from './config/config-error.ts'
export {
  type DirectoryOptions,
  type DirectoryUser,
  type DirectoryUsers,
  directory,
} from './config/directory.ts'
export {
  type ExternalSignInOptions,
  type ExternalUsers,
  externalSignIn,
} from './config/external-sign-in.ts'
export { type FoundConfig, type ReadOptions, readConfig } from './config/read-config.ts'
export type { ServerConfig } from './config/schema.ts'
export { STANDARD_SCOPES } from './config/standard-scopes.ts'
export type { MountContext, Mounted, ServiceDefinition } from './definition.ts'
export type { OnEvent, ServiceEvent } from './events.ts'
export { createServer, type Server, type ServerOptions } from './server.ts'
export { createService, type Service } from './service.ts'
export type { Observers, ServiceParts } from './service-context.ts'
export type { StartOptions } from './serving.ts'
export { startServer } from './start.ts'
export { openStorage, type Storage } from './storage.ts'
export type { Users } from './users/users.ts'
