import { z } from 'zod'
import { TrustedProxies } from '../http/trusted-proxies.ts'
import { ClientDocumentSettings } from './client-document-settings.ts'
import { DEVELOPMENT_FOLDER } from './development.ts'
import { contradictions, withProfile } from './profile.ts'

/** The settings from environment variables. Lifetimes are in seconds. */
const seconds = (fallback: number, least = 1, most = Number.MAX_SAFE_INTEGER) =>
  z.coerce
    .number({ error: 'must be a number of seconds' })
    .int('must be a whole number')
    .min(least)
    .max(most)
    .default(fallback)
const DAY = 24 * 60 * 60

const METHODS = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const
type Method = (typeof METHODS)[number]
const METHODS_EXPECTED = `must be a list of ${METHODS.join(', ')}`
/** The two methods that MCP clients with client credentials support. */
const CLIENT_CREDENTIALS_METHODS: readonly Method[] = ['client_secret_basic', 'private_key_jwt']

export const Environment = z.object({
  ...ClientDocumentSettings.shape,
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  PORT: z.coerce.number({ error: 'must be a number' }).int().min(1).max(65535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z
    .string()
    .regex(
      /^https?:\/\/[^/?#\s]+(\/[^/?#\s]+)*$/,
      'must be an http or https URL without a trailing slash, query or fragment',
    )
    .optional(),
  FRAMEWORK: z
    .enum(['fastify', 'express', 'hono'], { error: 'must be fastify, express or hono' })
    .default('fastify'),
  STORE_URL: z
    .string()
    .regex(
      /^(memory:$|sqlite:.|postgres(ql)?:\/\/.|rediss?(\+(cluster|sentinel))?:\/\/)/,
      'must be sqlite: and the path of a file, a postgres:// or redis:// URL, or memory:',
    )
    .optional(),
  DATABASE_URL: z
    .string()
    .regex(
      /^(memory:$|sqlite:.|postgres(ql)?:\/\/.)/,
      'must be sqlite: and the path of a file, a postgres:// URL, or memory:',
    )
    .default(`sqlite:${DEVELOPMENT_FOLDER}/service.sqlite`),
  POSTGRES_PREPARE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  WAIT_REPLICAS: z.coerce.number({ error: 'must be a number' }).int().min(0).default(0),
  SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
  KEYS_FILE: z.string().optional(),
  ACCOUNTS_FILE: z.string().optional(),
  UPSTREAM_FILE: z.string().optional(),
  CLIENT_AUTHENTICATION: z
    .string()
    .default('none,client_secret_post')
    .transform((names) => names.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(METHODS, { error: METHODS_EXPECTED }))),
  CLIENT_CREDENTIALS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  REGISTRATION: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  ID_TOKEN_CLAIMS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  LOGOUT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  DEVICE_GRANT: z
    .enum(['off', 'integrations', 'all'], { error: 'must be off, integrations or all' })
    .default('off'),
  PASTED_CALLBACKS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  DPOP: z.enum(['off', 'on', 'required'], { error: 'must be off, on or required' }).default('off'),
  DPOP_REPLAY: z.enum(['window', 'strict'], { error: 'must be window or strict' }).default('window'),
  FORWARD_AUTH: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  FORWARD_AUTH_CLIENT_CREDENTIALS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  FORWARD_AUTH_ORIGIN: z
    .string()
    .regex(/^https?:\/\/[^/?#\s]+$/, 'must be an http or https origin, without a path')
    .optional(),
  JWT_ACCESS_TOKENS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  JWT_ACCESS_TOKEN_LIFETIME: seconds(300, 1, 600),
  PAR: z.enum(['off', 'on', 'required'], { error: 'must be off, on or required' }).default('off'),
  PROFILE: z.enum(['fapi2'], { error: 'must be fapi2' }).optional(),
  TOKEN_EXCHANGE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  RATE_LIMITS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  TRUST_PROXY: TrustedProxies.optional(),
  DEFAULT_SCOPE: z.string().optional(),
  AUDIT_DAYS: z.coerce.number({ error: 'must be a number of days' }).int().min(1).max(36_500).default(365),
  DRAIN_SECONDS: seconds(5, 0),
  METRICS_PORT: z.coerce.number({ error: 'must be a number' }).int().min(1).max(65535).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  CODE_LIFETIME: seconds(60),
  ACCESS_TOKEN_LIFETIME: seconds(3600),
  REFRESH_TOKEN_LIFETIME: seconds(30 * DAY),
  GRANT_LIFETIME: seconds(180 * DAY),
  REFRESH_RETRY_WINDOW: seconds(60, 0, 900),
})

export type Settings = z.output<typeof Environment> & {
  readonly BASE_URL: string
  readonly STORE_URL: string
}

/** All problems at once, so that a start does not fail once for each. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings are not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/** @throws SettingsError */
export function parseSettings(environment: NodeJS.ProcessEnv): Settings {
  // An empty variable of a shell or a compose file means "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success)
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`))
  const settings = parsed.data
  const missing = settings.NODE_ENV === 'production' ? missingInProduction(settings, given) : []
  const problems = [
    ...missing,
    ...contradictions(settings, given),
    ...missingAtGateway(withProfile(settings)),
  ]
  if (problems.length > 0) throw new SettingsError(problems)
  return withProfile({
    ...settings,
    CLIENT_AUTHENTICATION: methodsOf(settings),
    BASE_URL: settings.BASE_URL ?? `http://127.0.0.1:${settings.PORT}`,
    STORE_URL: settings.STORE_URL ?? storeBeside(settings.DATABASE_URL),
  })
}

function missingAtGateway({
  DPOP,
  FORWARD_AUTH,
  FORWARD_AUTH_ORIGIN,
}: z.output<typeof Environment>): string[] {
  const needed = DPOP === 'required' && FORWARD_AUTH === 'on' && FORWARD_AUTH_ORIGIN === undefined
  return needed
    ? ['FORWARD_AUTH_ORIGIN is missing: with DPOP=required the gateway needs proofs, which name its origin']
    : []
}

function methodsOf({
  CLIENT_AUTHENTICATION: named,
  CLIENT_CREDENTIALS,
}: z.output<typeof Environment>): Method[] {
  return CLIENT_CREDENTIALS === 'on' ? [...new Set([...named, ...CLIENT_CREDENTIALS_METHODS])] : named
}

/**
 * The same Postgres, or a file next to the SQLite database, because the store and the service each have their own file.
 */
function storeBeside(database: string): string {
  return database.startsWith('sqlite:') ? database.replace(/(\.\w+)?$/, '-grants$1') : database
}

/** Production has no defaults for secrets, keys, accounts and the base URL: the operator must set them. */
function missingInProduction(settings: z.output<typeof Environment>, given: NodeJS.ProcessEnv): string[] {
  const needed = {
    'DATABASE_URL is missing: a postgres:// URL, or sqlite: and the path of a file': given.DATABASE_URL,
    'SECRET is missing: at least 32 random characters': settings.SECRET,
    'KEYS_FILE is missing: a JSON Web Key set with the private signing keys; "pnpm keys rotate" makes one':
      settings.KEYS_FILE,
    'BASE_URL is missing or not https':
      settings.BASE_URL?.startsWith('https://') === true ? 'given' : undefined,
    'RATE_LIMITS must not be off in production': settings.RATE_LIMITS === 'on' ? 'given' : undefined,
    // They allow requests to private addresses for unauthenticated callers (SSRF).
    'CIMD_TEST_CA must not be set in production': given.CIMD_TEST_CA === undefined ? 'unset' : undefined,
    'CIMD_TEST_RESOLVE must not be set in production':
      given.CIMD_TEST_RESOLVE === undefined ? 'unset' : undefined,
  }
  return Object.entries(needed).flatMap(([problem, value]) => (value === undefined ? [problem] : []))
}
