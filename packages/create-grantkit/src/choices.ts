/** What a project can be made of, and the packages that each choice needs. */

export interface Choice {
  readonly label: string
  readonly hint?: string | undefined
  readonly dependencies?: readonly string[] | undefined
  /** It runs on Cloudflare Workers, and not on Node. */
  readonly workers?: true | undefined
  /** Of a framework: what brings its requests to an MCP server. */
  readonly mcp?: readonly string[] | undefined
  /** Of a store: `@grantkit/server` keeps its users there too. */
  readonly server?: true | undefined
  /** Of a feature: it shows pages, which `own` does not have. */
  readonly pages?: true | undefined
  /** Of a feature: another one that it needs. */
  readonly needs?: 'openid' | 'client-documents' | undefined
}

export const APPS = {
  api: { label: 'An API', hint: 'with its authorization server, in one program' },
  mcp: {
    label: 'An MCP server',
    hint: 'with its authorization server, in one program',
    dependencies: ['@modelcontextprotocol/server', 'zod'],
  },
  server: {
    label: 'An API or MCP server elsewhere',
    hint: 'an authorization server to run, with accounts and admin pages',
    dependencies: ['@grantkit/server'],
  },
} satisfies Record<string, Choice>

export const FRAMEWORKS = {
  fastify: {
    label: 'Fastify',
    dependencies: ['@grantkit/adapter-fastify', 'fastify'],
    mcp: ['@modelcontextprotocol/node'],
  },
  express: {
    label: 'Express',
    dependencies: ['@grantkit/adapter-express', 'express', '@types/express'],
    mcp: ['@modelcontextprotocol/node'],
  },
  hono: { label: 'Hono', dependencies: ['@grantkit/adapter-hono', 'hono', '@hono/node-server'] },
  workers: {
    label: 'Cloudflare Workers',
    hint: 'with Hono; no account to try it',
    dependencies: ['@grantkit/adapter-hono', 'hono', 'wrangler'],
    workers: true,
  },
} satisfies Record<string, Choice>

export const STORES = {
  memory: {
    label: 'Memory',
    hint: 'to try it: a restart forgets everything',
    dependencies: ['@grantkit/store-memory'],
  },
  sqlite: {
    label: 'SQLite',
    hint: 'one file, one host',
    dependencies: ['@grantkit/store-sqlite'],
    server: true,
  },
  postgres: {
    label: 'Postgres',
    hint: '15 or newer',
    dependencies: ['@grantkit/store-postgres', 'pg'],
    server: true,
  },
  redis: { label: 'Redis', hint: 'or Valkey', dependencies: ['@grantkit/store-redis'] },
  'durable-objects': {
    label: 'Durable Objects',
    dependencies: ['@grantkit/store-cloudflare'],
    workers: true,
  },
} satisfies Record<string, Choice>

export const PAGES = {
  grantkit: { label: 'Pages of @grantkit/pages', hint: 'your brand, several languages' },
  own: { label: 'Own pages', hint: 'a minimal consent page to change' },
} satisfies Record<string, Choice>

export const FEATURES = {
  device: { label: 'Device grant', hint: 'command-line tools and TVs', pages: true },
  'connected-apps': { label: 'Connected apps', hint: 'users see and disconnect their apps', pages: true },
  openid: { label: 'OpenID Connect', hint: 'apps sign your users in' },
  logout: {
    label: 'Logout',
    hint: 'apps sign their user out; brings OpenID Connect',
    pages: true,
    needs: 'openid',
  },
  dpop: { label: 'DPoP', hint: 'sender-constrained tokens' },
  par: { label: 'Pushed authorization requests' },
  'client-documents': {
    label: 'Client ID metadata documents',
    hint: 'MCP clients',
    dependencies: ['@grantkit/safe-fetch'],
  },
  'known-clients': {
    label: 'Known clients',
    hint: 'Claude, ChatGPT, Cursor and others; brings client documents',
    dependencies: ['@grantkit/known-clients'],
    needs: 'client-documents',
  },
} satisfies Record<string, Choice>

/** Of `@grantkit/pages`. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja'] as const

export type AppName = keyof typeof APPS
export type Framework = keyof typeof FRAMEWORKS
export type StoreName = keyof typeof STORES
export type PagesName = keyof typeof PAGES
export type FeatureName = keyof typeof FEATURES
type LanguageName = (typeof LANGUAGES)[number]

/** What the files of a project depend on. */
export interface Choices {
  /** What is protected. */
  readonly app: AppName
  /** Of the service, on every page. Default: `Notes`; of a server `My service`. */
  readonly name: string
  /** The color of links and buttons, as `#rrggbb`. Default: that of the pages. */
  readonly accent?: string | undefined
  readonly framework: Framework
  readonly store: StoreName
  readonly pages: PagesName
  /** Of the pages, the default first. Default: all. */
  readonly languages?: readonly LanguageName[] | undefined
  /** Of a server: `known-clients` alone. The others are in its configuration. */
  readonly features: readonly FeatureName[]
  /** Of a server: its public address. */
  readonly url: string
  /** Of a server: `here`, or the URL of the sign-in page of an application next to it. */
  readonly users: string
  /** Of a server: the API or MCP server that accepts the tokens. Empty: none yet. */
  readonly resource: string
}

/** The program of README.md, with known clients. */
export const DEFAULTS: Choices = {
  app: 'api',
  name: 'Notes',
  framework: 'fastify',
  store: 'memory',
  pages: 'grantkit',
  features: ['known-clients'],
  url: 'http://127.0.0.1:3000',
  users: 'here',
  resource: '',
}

/** Default for each choice that was not made. */
export function completed(given: Partial<Choices>): Choices {
  const { app = DEFAULTS.app, framework = DEFAULTS.framework } = given
  const [store = DEFAULTS.store] = storesFor(app, framework)
  return { ...DEFAULTS, ...(app === 'server' && { name: 'My service' }), store, ...given }
}

/** The stores that run where the program does, the default first. */
export function storesFor(app: AppName, framework: Framework): StoreName[] {
  const isPossible = ({ server, workers }: Choice) =>
    app === 'server' ? server : (workers === true) === onWorkers(framework)
  return namesOf(STORES).filter((name) => isPossible(STORES[name]))
}

export function onWorkers(framework: Framework): boolean {
  return (FRAMEWORKS[framework] as Choice).workers === true
}

/** The features that work there without further code, in the order in which a program lists them. */
export function featuresFor(app: AppName, pages: PagesName): FeatureName[] {
  if (app === 'server') return ['known-clients']
  return namesOf(FEATURES).filter((name) => pages === 'grantkit' || !(FEATURES[name] as Choice).pages)
}

/** The chosen features with those that they need, in the order in which a program lists them. */
export function withNeeded(features: readonly FeatureName[]): FeatureName[] {
  const needed: (FeatureName | undefined)[] = features.map((name) => (FEATURES[name] as Choice).needs)
  return namesOf(FEATURES).filter((name) => features.includes(name) || needed.includes(name))
}

export function namesOf<Name extends string>(choices: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(choices) as Name[]
}
