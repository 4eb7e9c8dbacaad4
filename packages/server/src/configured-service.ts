import type { Config } from './config/config.ts'
import type { ServiceDefinition } from './definition.ts'

/** What the commands of a program work on. A service may add to the configuration of the server. */
export interface ConfiguredService<Configured extends Config = Config> {
  readonly config: Configured
  readonly definition: ServiceDefinition
  /** The configuration file, if there is one. */
  readonly file?: string | undefined
}

/**
 * Called by a command with valid arguments only, because it loads the server.
 *
 * @throws ConfigError
 */
export type LoadService<Configured extends Config = Config> = () => Promise<ConfiguredService<Configured>>
