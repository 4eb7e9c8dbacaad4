import { modeOf } from './address.ts'
import { ConfigError } from './config-error.ts'
import type { ClientAuthenticationMethod } from './features.ts'
import { expected, overriddenSecrets, problemsOf } from './problems.ts'
import { contradictions, withProfile } from './profile.ts'
import { problemsTogether } from './rules.ts'
import { configSchema, type ParsedConfig, type ServerConfig } from './schema.ts'
import { type Environment, isPlain, withVariables } from './variables.ts'

/** A valid configuration: all that the server reads. It never changes. */
export type Config = ParsedConfig & {
  readonly mode: ReturnType<typeof modeOf>
  readonly baseUrl: string
  readonly database: string
  readonly store: string
}

export interface ConfigOptions {
  /** As it is written in a file, or by a program. */
  readonly config?: ServerConfig | undefined
  /** Its variables win over the values of `config`. */
  readonly environment?: Environment | undefined
  /** Relative paths of `config` start here. Default: the working directory. */
  readonly folder?: string | undefined
  /** The file of `config`, for errors. */
  readonly file?: string | undefined
}

/** Keeps the type of a configuration: `export default defineConfig({ … })`. */
export function defineConfig(config: ServerConfig): ServerConfig {
  return config
}

/** Merges, checks and completes a configuration. @throws ConfigError with all problems */
export function parseConfig({
  config = {},
  environment: all = {},
  folder = process.cwd(),
  file,
}: ConfigOptions): Config {
  // An empty variable of a shell or a compose file means "not set".
  const environment = Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''))
  const schema = configSchema({ environment, folder })
  const merged = withVariables(schema, config, environment)
  const parsed = schema.safeParse(merged.values, { error: expected })
  const written = overriddenSecrets(schema, config, merged)
  if (!parsed.success)
    throw new ConfigError([...written, ...problemsOf(schema, merged, parsed.error.issues)], file)
  const complete = withProfile(parsed.data)
  const together = [...contradictions(parsed.data, merged), ...problemsTogether(complete, merged)]
  const problems = [...written, ...together]
  if (problems.length > 0) throw new ConfigError(problems, file)
  return frozen(completed(complete))
}

/** What other fields determine. */
function completed(config: ParsedConfig): Config {
  const { baseUrl = `http://127.0.0.1:${config.port}`, features } = config
  const { database = `sqlite:${config.dataFolder}/service.sqlite` } = config
  const below = (place: string) => (place.startsWith('/') ? `${baseUrl}${place}` : place)
  return {
    ...config,
    mode: modeOf(config),
    baseUrl,
    database,
    store: config.store ?? storeBeside(database),
    documentation: config.documentation && below(config.documentation),
    resources: Object.fromEntries(
      Object.entries(config.resources).map(([resource, options]) => [below(resource), options]),
    ),
    features: { ...features, clientAuthentication: methodsOf(features) },
  }
}

/** The two methods that MCP clients with client credentials support. */
const CLIENT_CREDENTIALS_METHODS: readonly ClientAuthenticationMethod[] = [
  'client_secret_basic',
  'private_key_jwt',
]

/** A profile has decided about the methods of client credentials too. */
function methodsOf({
  clientAuthentication: named,
  clientCredentials,
  profile,
}: ParsedConfig['features']): ClientAuthenticationMethod[] {
  return clientCredentials && profile === undefined
    ? [...new Set([...named, ...CLIENT_CREDENTIALS_METHODS])]
    : named
}

/** The same Postgres, or a file next to the SQLite database, because store and service each have their own file. */
function storeBeside(database: string): string {
  return database.startsWith('sqlite:') ? database.replace(/(\.\w+)?$/, '-grants$1') : database
}

function frozen<Value>(value: Value): Value {
  if (!isPlain(value) && !Array.isArray(value)) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
