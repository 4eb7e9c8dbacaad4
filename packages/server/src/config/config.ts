import { isLoopbackUrl } from '@grantkit/core/feature'
import { modeOf } from './address.ts'
import type { ClientAuthenticationMethod } from './features.ts'
import { withTlsOfIam } from './postgres-login.ts'
import { at, expected, nameOf, overriddenSecrets, problemsOf, valueAt } from './problems.ts'
import { problemsTogether } from './rules.ts'
import { configSchema, type ParsedConfig, type ServerConfig } from './schema.ts'
import { ConfigError } from './text-file.ts'
import { type Environment, isPlain, type Merged, withVariables } from './variables.ts'

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
  const { database: given = `sqlite:${config.dataFolder}/service.sqlite` } = config
  const database = withTlsOfIam(config, 'database', given)
  const { store = storeBeside(given) } = config
  const below = (place: string) => (place.startsWith('/') ? `${baseUrl}${place}` : place)
  const mode = modeOf(config)
  // The page sends neither pushed requests nor proofs.
  const playable = features.par !== 'required' && features.dpop.mode !== 'required'
  return {
    ...config,
    mode,
    playground: config.playground && mode === 'development' && playable,
    baseUrl,
    database,
    store: store === given ? database : withTlsOfIam(config, 'store', store),
    documentation: config.documentation && below(config.documentation),
    resources: Object.fromEntries(
      Object.entries(config.resources).map(([resource, options]) => [below(resource), options]),
    ),
    features: { ...features, clientAuthentication: methodsOf(features) },
  }
}

/** Client credentials: the two methods that MCP clients support. */
const CLIENT_CREDENTIALS_METHODS: readonly ClientAuthenticationMethod[] = [
  'client_secret_basic',
  'private_key_jwt',
]

/** A profile has decided about the methods of client credentials too. */
function methodsOf({
  clientAuthentication: named,
  clientCredentials,
  requestObjects,
  profile,
}: ParsedConfig['features']): ClientAuthenticationMethod[] {
  if (profile !== undefined) return named
  const methods = new Set(named)
  for (const method of clientCredentials ? CLIENT_CREDENTIALS_METHODS : []) methods.add(method)
  // It reads the keys of clients.
  if (requestObjects !== 'off') methods.add('private_key_jwt')
  return [...methods]
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

/** What the FAPI 2.0 Security Profile determines: by key, with the text of the variable and the section. */
const FAPI2 = [
  ['clientAuthentication', ['private_key_jwt'], '5.3.2.1, item 6'],
  // Item 8: the issuer is the only audience.
  ['clientAssertion.audiences', 'issuer', '5.3.2.1, item 8'],
  ['registration', false, '5.3.2.1, item 3'],
  ['clientDocuments.enabled', false, '5.3.2.1, item 3'],
  ['knownClients', 'off', '5.3.2.1, item 3'],
  ['dpop.mode', 'required', '5.3.2.1, item 4'],
  ['par', 'required', '5.3.2.2, item 3'],
  // They are bearer tokens.
  ['personalTokens.enabled', false, '5.3.2.1, item 4'],
] as const

/** In seconds. */
const MAX_CODE_LIFETIME = 60

/** The configuration with the values of its profile. */
function withProfile(config: ParsedConfig): ParsedConfig {
  if (config.features.profile === undefined) return config
  const { features } = config
  return {
    ...config,
    features: {
      ...features,
      clientAuthentication: ['private_key_jwt'],
      clientAssertion: { ...features.clientAssertion, audiences: 'issuer' },
      registration: false,
      clientDocuments: { ...features.clientDocuments, enabled: false },
      knownClients: [],
      dpop: { ...features.dpop, mode: 'required' },
      par: 'required',
      personalTokens: { ...features.personalTokens, enabled: false },
    },
  }
}

/** What contradicts the profile. */
function contradictions({ features, lifetimes }: ParsedConfig, merged: Merged): readonly string[] {
  if (features.profile === undefined) return []
  const problem = (key: string, must: string, section: string) => {
    const path = key.split('.')
    const expected = `must be ${must} with ${profileName(merged)}${valueAt(merged, path)}`
    return `${nameOf(merged, path)} ${expected} (FAPI 2.0 Security Profile ${section})`
  }
  const others = FAPI2.flatMap(([name, value, section]) => {
    const key = `features.${name}`
    const given = at(merged.values, key.split('.'))
    if (given === undefined || String(given) === String(value)) return []
    return [problem(key, `${inWords(value, merged.sources.has(key))} or left out`, section)]
  })
  return lifetimes.code > MAX_CODE_LIFETIME
    ? [...others, problem('lifetimes.code', `at most ${MAX_CODE_LIFETIME}`, '5.3.2.1, item 11')]
    : others
}

function profileName(merged: Merged): string {
  return merged.sources.has('features.profile') ? 'PROFILE=fapi2' : "features.profile: 'fapi2'"
}

function inWords(value: (typeof FAPI2)[number][1], inVariable: boolean): string {
  return value === false && inVariable ? 'off' : inVariable ? String(value) : JSON.stringify(value)
}

/** The ids of the platforms that anybody can use, next to names that can be given up and taken by somebody else. */
const IDS: Readonly<Record<string, string>> = {
  'https://token.actions.githubusercontent.com': 'repository_id',
  'https://gitlab.com': 'project_id',
}
/** A subject of GitHub Actions with ids, such as `repo:acme@65/notes@74:ref:refs/heads/main`. */
const WITH_IDS = /^repo:[^/@]+@\d+\/[^:@]+@\d+:/

/** What an operator should know of a configuration that works. */
export function configWarnings(
  config: Pick<Config, 'features' | 'baseUrl' | 'port' | 'resources' | 'users'>,
): readonly string[] {
  return [
    ...portWarnings(config),
    ...localWarnings(config),
    ...documentWarnings(config),
    ...workloadWarnings(config),
  ]
}

/** A proxy may listen at the address, or a program that mounts the server. More often, one of the two was changed alone. */
function portWarnings({ baseUrl, port: own }: Pick<Config, 'baseUrl' | 'port'>): readonly string[] {
  const { protocol, port } = new URL(baseUrl)
  if (protocol !== 'http:' || !isLoopbackUrl(baseUrl) || Number(port || 80) === own) return []
  return [
    `baseUrl is ${baseUrl}, and port is ${own}. Set both to the same port (BASE_URL, PORT), unless a proxy or a program of yours listens there`,
  ]
}

/** Apps and browsers on other machines look for such an address on their own. */
function localWarnings({
  baseUrl,
  resources,
  users,
}: Pick<Config, 'baseUrl' | 'resources' | 'users'>): readonly string[] {
  if (isLoopbackUrl(baseUrl)) return []
  const addresses = Object.keys(resources).map((url) => ({ key: 'resources', url }))
  if (users?.kind === 'external') addresses.push({ key: 'users', url: users.url })
  const local = addresses.filter(({ url }) => isLoopbackUrl(url))
  return local.map(
    ({ key, url }) =>
      `${key}: ${url} is reached from this machine only, and baseUrl is ${baseUrl}. Name its public address`,
  )
}

/** A request object cannot be verified before the document is read, for a user. A push comes before any user. */
function documentWarnings({ features }: Pick<Config, 'features'>): readonly string[] {
  const { par, requestObjects, clientDocuments } = features
  const { enabled, pinned } = clientDocuments
  if (par !== 'required' || requestObjects !== 'required' || !enabled || pinned !== undefined) return []
  return [
    'PAR=required and REQUEST_OBJECTS=required refuse every client with a metadata document that is not pinned. Set CIMD=off, or CIMD_PINNED',
  ]
}

/** Of the rules for workloads: those that name an owner by a name alone. */
function workloadWarnings({ features }: Pick<Config, 'features'>): readonly string[] {
  return features.jwtBearer.workloads.flatMap(({ issuer = '', client, claims }) => {
    const id = Object.hasOwn(IDS, issuer) ? IDS[issuer] : undefined
    if (id === undefined || namesById(claims)) return []
    return [
      `features.jwtBearer.workloads: the rule of ${client} names its owner by a name, which somebody else can get one day. Add ${id} to its claims`,
    ]
  })
}

function namesById(claims: Readonly<Record<string, string | readonly string[]>>): boolean {
  const subjects = [claims.sub ?? []].flat()
  const byId = Object.keys(claims).some((name) => name.endsWith('_id'))
  return byId || (subjects.length > 0 && subjects.every((subject) => WITH_IDS.test(subject)))
}
