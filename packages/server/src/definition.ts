import type { AuthorizationServer, Caller, Feature, ResourceServer, TokenClaims } from '@grantkit/core'
import type { ServerDescription } from '@grantkit/core/internal'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Hono } from 'hono'
import type { BlankEnv } from 'hono/types'
import type { DemoAccount } from './accounts/open-accounts.ts'
import type { Config } from './config/config.ts'
import type { Database } from './database/database.ts'
import type { AppMigrations } from './database/migrations.ts'
import type { Site } from './http/page.ts'

/** What the code of a service adds to the server that its configuration describes: its own APIs, pages and tables. */
export interface ServiceDefinition {
  /** Features next to those that the configuration enables. */
  readonly features?: ((config: Config) => readonly Feature[]) | undefined
  /** Claims of tokens, UserInfo and introspection. They replace claims that `resources` configures. */
  readonly tokenClaims?: TokenClaims | undefined
  readonly migrations?: AppMigrations | undefined
  /** Accounts with publicly known passwords, added to an empty database outside of production, if the server listens on loopback. */
  readonly demoAccounts?: readonly DemoAccount[] | undefined
  /** How an operator calls the commands, for errors and pages that advise one. Default: `grantkit`. */
  readonly program?: string | undefined
  /** The routes of the service. They come before those of the server. */
  readonly mount?: ((context: MountContext) => readonly Mounted[]) | undefined
}

/** An application of any variables. */
// biome-ignore lint/suspicious/noExplicitAny: each part has its own variables
export type Mounted = Hono<any>

/** What the server gives to the routes of a service. */
export interface MountContext {
  readonly config: Config
  readonly site: Site
  /** Whether a demo account can sign in. */
  readonly demo: boolean
  readonly metadata: AuthorizationServer['metadata']
  readonly description: ServerDescription
  readonly database: Database
  /** Guards a resource with the tokens of this server. Requests without a token are anonymous. */
  guard(resource: string): ResourceServer<string, Caller>
  /** What the service serves next to the endpoints of core, with its OpenAPI descriptions. It is complete once requests arrive. */
  app(): OpenAPIHono<BlankEnv>
}

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
