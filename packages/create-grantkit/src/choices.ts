/** What a project can be made of, and the packages that each choice needs. */

export interface Choice {
  readonly label: string
  readonly hint?: string | undefined
  readonly dependencies: readonly string[]
}

export interface PlacedChoice extends Choice {
  /** It runs on Cloudflare Workers, and not on Node. */
  readonly workers?: true | undefined
}

export interface FeatureChoice extends Choice {
  /** It shows pages, which `own` does not have. */
  readonly pages?: true | undefined
  /** Another feature that it needs. */
  readonly needs?: 'openid' | 'client-documents' | undefined
}

export const FRAMEWORKS = {
  fastify: { label: 'Fastify', dependencies: ['@grantkit/adapter-fastify', 'fastify'] },
  express: { label: 'Express', dependencies: ['@grantkit/adapter-express', 'express', '@types/express'] },
  hono: { label: 'Hono', dependencies: ['@grantkit/adapter-hono', 'hono', '@hono/node-server'] },
  workers: {
    label: 'Cloudflare Workers',
    hint: 'with Hono; no account to try it',
    dependencies: ['@grantkit/adapter-hono', 'hono', 'wrangler'],
    workers: true,
  },
} satisfies Record<string, PlacedChoice>

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
  },
  postgres: { label: 'Postgres', hint: '15 or newer', dependencies: ['@grantkit/store-postgres', 'pg'] },
  redis: { label: 'Redis', hint: 'or Valkey', dependencies: ['@grantkit/store-redis'] },
  'durable-objects': {
    label: 'Durable Objects',
    dependencies: ['@grantkit/store-cloudflare'],
    workers: true,
  },
} satisfies Record<string, PlacedChoice>

export const PAGES = {
  grantkit: {
    label: 'Pages of @grantkit/pages',
    hint: 'your brand, six languages',
    dependencies: ['@grantkit/pages'],
  },
  own: {
    label: 'Own pages',
    hint: 'a minimal consent page to change',
    dependencies: ['@grantkit/pages'],
  },
} satisfies Record<string, Choice>

export const FEATURES = {
  device: { label: 'Device grant', hint: 'command-line tools and TVs', dependencies: [], pages: true },
  'connected-apps': {
    label: 'Connected apps',
    hint: 'users see and disconnect their apps',
    dependencies: [],
    pages: true,
  },
  openid: { label: 'OpenID Connect', hint: 'apps sign your users in', dependencies: [] },
  logout: {
    label: 'Logout',
    hint: 'apps sign their user out; brings OpenID Connect',
    dependencies: [],
    pages: true,
    needs: 'openid',
  },
  dpop: { label: 'DPoP', hint: 'sender-constrained tokens', dependencies: [] },
  par: { label: 'Pushed authorization requests', dependencies: [] },
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
} satisfies Record<string, FeatureChoice>

export type Framework = keyof typeof FRAMEWORKS
export type StoreName = keyof typeof STORES
export type PagesName = keyof typeof PAGES
export type FeatureName = keyof typeof FEATURES

/** What the files of a project depend on. */
export interface Choices {
  readonly framework: Framework
  readonly store: StoreName
  readonly pages: PagesName
  readonly features: readonly FeatureName[]
}

/** The program of docs/start.md, with known clients. Another framework may need another store: `completed()`. */
export const DEFAULTS: Choices = {
  framework: 'fastify',
  store: 'memory',
  pages: 'grantkit',
  features: ['known-clients'],
}

/** Default for each choice that was not made. */
export function completed(given: Partial<Choices>): Choices {
  const [store = DEFAULTS.store] = storesFor(given.framework ?? DEFAULTS.framework)
  return { ...DEFAULTS, store, ...given }
}

/** The stores that run where the framework does, the default first. */
export function storesFor(framework: Framework): StoreName[] {
  const workers = onWorkers(framework)
  return namesOf(STORES).filter((name) => ((STORES[name] as PlacedChoice).workers === true) === workers)
}

export function onWorkers(framework: Framework): boolean {
  return (FRAMEWORKS[framework] as PlacedChoice).workers === true
}

/** The features that work with these pages without further code, in the order in which a program lists them. */
export function featuresFor(pages: PagesName): FeatureName[] {
  return namesOf(FEATURES).filter((name) => pages === 'grantkit' || !showsPages(name))
}

/** The chosen features with those that they need, in the order in which a program lists them. */
export function withNeeded(features: readonly FeatureName[]): FeatureName[] {
  const needed: (FeatureName | undefined)[] = features.map((name) => (FEATURES[name] as FeatureChoice).needs)
  return namesOf(FEATURES).filter((name) => features.includes(name) || needed.includes(name))
}

function showsPages(name: FeatureName): boolean {
  return (FEATURES[name] as FeatureChoice).pages === true
}

export function namesOf<Name extends string>(choices: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(choices) as Name[]
}
