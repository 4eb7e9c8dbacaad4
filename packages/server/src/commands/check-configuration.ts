import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { closest, distance } from 'fastest-levenshtein'
import { ProfileClaims } from '../accounts/user-claims.ts'
import type { Config } from '../config/config.ts'
import { masked, withMaskedUrls } from '../config/fields.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import type { Place } from '../config/postgres-login.ts'
import { ConfigError } from '../config/text-file.ts'
import { knownFields, variablesOf } from '../config/variables.ts'
import type { ConfiguredService } from '../definition.ts'

/** What a start reads one after another, each left out. */
const WITHOUT: readonly ((config: Config) => Config)[] = [
  (config) => ({ ...config, keysFile: undefined }),
  (config) => ({ ...config, brand: { name: config.brand.name } }),
  (config) => ({ ...config, accountsFile: undefined }),
  (config) => ({ ...config, upstreamFile: undefined }),
  ({ features, ...config }) => {
    const clientDocuments = { ...features.clientDocuments, pinned: undefined }
    return { ...config, features: { ...features, clientDocuments } }
  },
]

/**
 * Creates the server without listening, in memory, so that everything that a start would refuse is found: files, keys,
 * scopes, the brand. A start ends at the first problem, so it is tried again without the part that is at fault.
 */
export async function trial(configured: ConfiguredService): Promise<readonly string[]> {
  const problems = await problemsOf(configured)
  if (problems.length === 0) return problems
  for (const without of WITHOUT) {
    const rest = { ...configured, config: without(configured.config) }
    if ((await problemsOf(rest))[0] !== problems[0]) return [...problems, ...(await trial(rest))]
  }
  return problems
}

async function problemsOf({ config, definition }: ConfiguredService): Promise<readonly string[]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'grantkit-check-'))
  try {
    await createInMemory({ config: { ...config, dataFolder }, definition })
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.problems : [(error as Error).message]
  } finally {
    await rm(dataFolder, { recursive: true })
  }
}

async function createInMemory({ config, definition }: ConfiguredService): Promise<void> {
  const { openStorage } = await import('../storage.ts')
  const { createService } = await import('../service/service.ts')
  const secret = config.secret ?? randomBytes(32).toString('base64url')
  const here = { ...config, secret, database: 'memory:', store: 'memory:' }
  const storage = await openStorage(here, () => {}, { definition })
  try {
    const observers = { onEvent: () => {}, onError: () => {} }
    await createService({ definition, config: here, observers, storage })
  } finally {
    await storage.close()
  }
}

/**
 * Warns of rules for workloads whose client does not exist. Nothing is created and no table changes. Empty if the store cannot be
 * read: before the first start there is none.
 */
export async function missingWorkloadClients(service: ConfiguredService): Promise<readonly string[]> {
  const { workloads } = service.config.features.jwtBearer
  if (workloads.length === 0 || !isReadable(service.config.store)) return []
  try {
    const missing = await unknownOf(service, [...new Set(workloads.map(({ client }) => client))])
    return missing.map(
      (client) => `features.jwtBearer.workloads: there is no client ${client}, so its rule gives no token`,
    )
  } catch {
    return []
  }
}

/** Opening a missing file would create it. */
function isReadable(store: string): boolean {
  if (store === 'memory:') return false
  return !store.startsWith('sqlite:') || existsSync(store.slice('sqlite:'.length))
}

async function unknownOf(
  { config, definition }: ConfiguredService,
  clients: readonly string[],
): Promise<readonly string[]> {
  const { openStorage } = await import('../storage.ts')
  const { store, close } = await openStorage(config, () => {}, { definition, migrating: false })
  try {
    const found = await Promise.all(clients.map((client) => store.clients.find(client)))
    return clients.filter((_, at) => found[at] === undefined)
  } finally {
    await close()
  }
}

/** The problems of database and store. Nothing is created and no table changes. */
export async function unreachable(config: Config): Promise<readonly string[]> {
  const places = config.store === config.database ? (['database'] as const) : (['database', 'store'] as const)
  const problems = await Promise.all(
    places.map((place) =>
      reach(config, place).then(
        () => [],
        (error: Error) => {
          const named = `${place.toUpperCase()}_URL: ${masked(config[place])}`
          return [`${named} cannot be used: ${withMaskedUrls(error.message)}`]
        },
      ),
    ),
  )
  return problems.flat()
}

async function reach(config: Config, place: Place): Promise<void> {
  const url = config[place]
  if (url.startsWith('sqlite:')) return reachFile(url.slice('sqlite:'.length))
  if (url.startsWith('postgres')) return reachPostgres(config, place)
  const { reachStore } = await import('../store.ts')
  return reachStore(url, config.mode)
}

async function reachFile(path: string): Promise<void> {
  if (existsSync(path)) return access(path, constants.R_OK | constants.W_OK)
  // A start creates the file with its folders.
  let folder = dirname(path)
  while (!existsSync(folder)) folder = dirname(folder)
  return access(folder, constants.W_OK)
}

async function reachPostgres(config: Config, place: Place): Promise<void> {
  const { connectToPostgres } = await import('@grantkit/store-postgres')
  const { postgresPassword } = await import('../database/postgres-password.ts')
  const password = await postgresPassword(config, place, () => {})
  const pool = await connectToPostgres(config[place], { onError: () => {}, password })
  try {
    await pool.query('select 1')
  } finally {
    await pool.end()
  }
}

/** What a server will run as, by subject. It has no secret, and no password of a URL. */
export function summaryOf(config: Config): readonly (readonly [subject: string, text: string])[] {
  const { baseUrl, host, port, mode, brand, database, store, secret, keysFile } = config
  const workloads = workloadsOf(config)
  return [
    ['Address', `${baseUrl}, listening on ${host}:${port}`],
    ['Mode', mode],
    ['Name', brand.name],
    ['Users', usersOf(config)],
    ['Scopes', Object.keys(config.scopes).join(', ')],
    ['Resources', resourcesOf(config)],
    ['Database', masked(database)],
    ['Store', store === database ? 'the same' : masked(store)],
    ['Secret', secret === undefined ? 'created at the first start, for development' : 'set, not shown'],
    ['Signing keys', keysFile ?? 'created at the first start, for development'],
    ['Features', featuresOf(config)],
    ...(workloads === '' ? [] : [['Workloads', workloads] as const]),
    ['Rate limits', config.limits ? 'on' : 'off'],
  ]
}

function usersOf({ users, upstream, upstreamFile }: Config): string {
  if (users?.kind === 'external') return `the application at ${masked(users.url)} signs them in`
  if (users !== undefined) return 'a directory'
  const providers = upstream.map(({ label }) => label).join(', ') || upstreamFile
  return providers === undefined ? 'accounts of this server' : `accounts of this server, and ${providers}`
}

function resourcesOf({ baseUrl, resources, features }: Config): string {
  const usual = features.jwtAccessTokens.enabled ? 'jwt' : 'opaque'
  return Object.entries({ [baseUrl]: {}, ...resources } as Config['resources'])
    .map(([resource, { accessTokens = usual, claims = [] }]) => {
      const named = claims.length === 0 ? '' : ` with ${claims.join(' ')}`
      return `${resource} (${accessTokens}${named})`
    })
    .join(', ')
}

function workloadsOf({ features }: Config): string {
  return features.jwtBearer.workloads
    .map(({ issuer, trustDomain, client }) => `${issuer ?? trustDomain} for the client ${client}`)
    .join(', ')
}

function featuresOf({ features, admin, mail }: Config): string {
  const {
    clientDocuments,
    knownClients,
    jwtAccessTokens,
    dpop,
    forwardAuth,
    clientAuthentication,
    clientAssertion,
    jwtBearer: _,
    personalTokens,
    ...others
  } = features
  const states = {
    ...others,
    clientDocuments: clientDocuments.enabled,
    knownClients: knownClients.join(', ') || 'off',
    jwtAccessTokens: jwtAccessTokens.enabled,
    clientAssertion: clientAssertion.audiences === 'endpoints' && 'endpoints',
    jwtBearer: takesAssertions(features),
    personalTokens: personalTokens.enabled,
    dpop: dpop.mode,
    forwardAuth: forwardAuth.enabled,
    adminApi: admin.api,
    mail: mail.url !== undefined,
  }
  const on = Object.entries(states).flatMap(([name, state]) => {
    if (state === undefined || state === false || state === 'off') return []
    return [typeof state === 'string' && state !== 'on' ? `${name} (${state})` : name]
  })
  return on.join(', ') || 'none'
}

/** Shorter names are near to too many others. */
const MIN_LENGTH = 8

/** Variables whose name is almost that of a variable of the server. The environment is shared, so they are no errors. */
export function misspelledVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = variablesOf(knownFields())
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || name.length < MIN_LENGTH) return []
    const near = closest(name, [...known])
    return distance(name, near) <= 2 ? [`${name} is set, and unknown: did you mean ${near}?`] : []
  })
}

/** The claims that an account of this server may have. */
const OF_ACCOUNTS: ReadonlySet<string> = new Set([
  ...['sub', 'name', 'email', 'email_verified', 'updated_at'],
  ...Object.keys(ProfileClaims.shape),
])

/** Warns of claims in `resources` that no account of this server has: its tokens would be without them. */
export function claimWarnings({
  resources,
  users,
  upstream,
  upstreamFile,
}: Pick<Config, 'resources' | 'users'> &
  Partial<Pick<Config, 'upstream' | 'upstreamFile'>>): readonly string[] {
  if (users !== undefined) return []
  const hasRoles = upstreamFile !== undefined || upstream?.some(({ roles }) => roles !== undefined)
  return Object.entries(resources).flatMap(([resource, { claims = [] }]) => {
    const never = claims.filter((name) => !OF_ACCOUNTS.has(name) && !(hasRoles && name === 'roles'))
    if (never.length === 0) return []
    return [
      `resources: accounts of this server never have the claims ${never.join(', ')} of ${resource}. They come from an application or a directory (users)`,
    ]
  })
}
