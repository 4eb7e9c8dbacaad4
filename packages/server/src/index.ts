export type { DemoAccount } from './accounts/open-accounts.ts'
export type { Users } from './accounts/users/users.ts'
export { type Config, type ConfigOptions, defineConfig, parseConfig } from './config/config.ts'
export { type FoundConfig, type ReadOptions, readConfig } from './config/read-config.ts'
export type { ServerConfig } from './config/schema.ts'
export { STANDARD_SCOPES } from './config/schema.ts'
export { ConfigError } from './config/text-file.ts'
export {
  type DirectoryOptions,
  type DirectoryUser,
  type DirectoryUsers,
  directory,
  type ExternalSignInOptions,
  type ExternalUsers,
  externalSignIn,
} from './config/users.ts'
export type { MountContext, Mounted, ServiceDefinition } from './definition.ts'
export type { OnEvent, ServiceEvent } from './events.ts'
export { createLogger, logObservers } from './operations/logging.ts'
export type { StartOptions } from './server.ts'
export { createServer, type Server, type ServerOptions } from './server.ts'
export { createService, type Service } from './service/service.ts'
export type { Observers, ServiceParts } from './service-context.ts'
export { startServer } from './start.ts'
export { openStorage, type Storage } from './storage.ts'
