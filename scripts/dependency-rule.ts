/**
 * The rule for imports, including type imports. Core has one row per room, and imports only go down. A file or an
 * import without a row is a violation, so every new folder or dependency is a decision in this table.
 */
import { matchesGlob, posix } from 'node:path'

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string
  source: string
}

export interface Row {
  files: string
  /** Globs over repository paths, and package names. A later `!pattern` excludes. */
  imports: readonly string[]
  /** Additional targets, only for `import type`. */
  types?: readonly string[]
}

const core = (file: string) => `packages/core/src/${file}`

/**
 * The rooms of core, from the bottom up. `tokens` and `limits` do not import each other; `discovery` is outside the
 * order.
 */
const ROOMS = [
  'kernel',
  'http',
  'tokens',
  'limits',
  'clients',
  'grants',
  'resource',
  'openid',
  'authorization',
]

/** A room may import itself, the rooms left of it, and the given packages. */
function room(name: string, packages: readonly string[] = [], without: readonly string[] = []): Row {
  const below = ROOMS.slice(0, ROOMS.indexOf(name) + 1).filter((other) => !without.includes(other))
  return { files: core(`${name}/**`), imports: [...below.map((other) => core(`${other}/**`)), ...packages] }
}

/** The first row that matches a file applies. */
export const DEPENDENCY_RULE: readonly Row[] = [
  room('kernel', ['node:crypto']),
  room('http', ['zod']),
  room('tokens', ['jose', 'zod', 'node:crypto']),
  room('limits', ['tldts'], ['tokens']),
  room('clients', ['zod']),
  room('grants', ['zod']),
  room('resource'),
  room('openid', ['jose', 'node:crypto', 'zod']),
  room('authorization', ['zod']),
  // A feature: only its export imports it.
  {
    files: core('cimd/**'),
    imports: [...['cimd', 'kernel', 'http', 'limits', 'clients'].map((name) => core(`${name}/**`)), 'zod'],
    types: [core('feature.ts')],
  },
  // The same: it offers one more way of client authentication.
  {
    files: core('client-assertion/*'),
    imports: [
      ...['client-assertion/*', 'kernel/*', 'http/*', 'limits/*', 'clients/**'].map(core),
      ...['jose', 'zod', 'node:crypto'],
    ],
    types: [core('feature.ts')],
  },
  // The same: it offers one more grant type.
  {
    files: core('client-credentials/*'),
    imports: [
      ...['client-credentials', 'kernel', 'http', 'tokens', 'limits', 'clients', 'grants'].map((name) =>
        core(`${name}/*`),
      ),
      'zod',
    ],
    types: [core('feature.ts')],
  },
  // The same: it proves that callers hold the keys of their tokens, at the server and at the guard of an API.
  {
    files: core('dpop/*'),
    imports: ['dpop', 'kernel', 'http'].map((name) => core(`${name}/*`)).concat('zod', 'node:crypto'),
    types: [core('feature.ts'), core('tokens/*'), core('resource/*')],
  },
  // The same: it asks the guard.
  {
    files: core('forward-auth/*'),
    imports: ['forward-auth', 'kernel', 'http', 'tokens', 'resource']
      .map((name) => core(`${name}/*`))
      .concat('zod'),
    types: [core('feature.ts')],
  },
  // The same: it is a format of access tokens, with a guard of its own.
  {
    files: core('jwt-access-tokens/*'),
    imports: ['jwt-access-tokens', 'kernel', 'http', 'tokens', 'clients', 'grants', 'resource']
      .map((name) => core(`${name}/*`))
      .concat('jose', 'zod'),
    types: [core('feature.ts')],
  },
  // The same: what it takes goes to the authorization endpoint.
  {
    files: core('par/*'),
    imports: ['par', 'kernel', 'http', 'clients', 'authorization']
      .map((name) => core(`${name}/*`))
      .concat('zod', 'node:crypto'),
    types: [core('feature.ts')],
  },
  // The same: it changes a grant.
  {
    files: core('token-exchange/*'),
    imports: ['token-exchange', 'kernel', 'http', 'tokens', 'clients', 'grants']
      .map((name) => core(`${name}/*`))
      .concat('zod'),
    types: [core('feature.ts')],
  },
  // The same: it ends a session that began for an authorization.
  {
    files: core('logout/*'),
    imports: [
      ...['logout', ...ROOMS.filter((name) => name !== 'limits')].map((name) => core(`${name}/*`)),
      'zod',
    ],
    types: [core('feature.ts')],
  },
  // The same: its user decides on pages, as on those of an authorization.
  {
    files: core('device/*'),
    imports: [
      ...['device', ...ROOMS].map((name) => core(`${name}/*`)),
      core('grants/authorization-code/*'),
      'zod',
    ],
    types: [core('feature.ts')],
  },
  // A profile brings features and sets the options of the server. Only its export imports it.
  {
    files: core('fapi2/*'),
    imports: ['fapi2', 'kernel', 'clients']
      .map((name) => core(`${name}/*`))
      .concat(core('client-assertion/client-assertion.ts'), core('dpop/dpop.ts'), core('par/par.ts')),
    types: [core('feature.ts'), core('options.ts'), core('discovery/*')],
  },
  // It gets its content as arguments and knows no room.
  { files: core('discovery/*'), imports: [core('discovery/*'), core('http/*')] },
  {
    files: core('feature.ts'),
    imports: [...ROOMS, 'discovery'].map((name) => core(`${name}/**`)),
  },
  {
    files: core('options.ts'),
    imports: [core('feature.ts'), ...ROOMS.map((name) => core(`${name}/**`))],
    types: [core('discovery/*')],
  },
  { files: core('profile.ts'), imports: [], types: [core('options.ts'), core('discovery/*')] },
  {
    files: core('authorization-server.ts'),
    imports: [
      core('feature.ts'),
      core('options.ts'),
      core('profile.ts'),
      ...[...ROOMS, 'discovery'].map((name) => core(`${name}/**`)),
    ],
  },
  // The tables of errors of all rooms, in one.
  { files: core('errors.ts'), imports: [core('*/**')] },
  { files: core('index.ts'), imports: [core('**'), `!${core('index.ts')}`, `!${core('store-kit.ts')}`] },
  { files: core('store-kit.ts'), imports: [core('kernel/*'), 'node:crypto', 'node:timers/promises'] },

  {
    files: 'packages/store-memory/src/**',
    imports: ['packages/store-memory/src/**', '@grantkit/core/store-kit'],
    types: ['@grantkit/core'],
  },
  {
    files: 'packages/store-redis/src/**',
    imports: ['packages/store-redis/src/**', '@grantkit/core/store-kit', '@redis/client', 'node:crypto'],
    types: ['@grantkit/core'],
  },
  {
    files: 'packages/store-sqlite/src/**',
    imports: [
      'packages/store-sqlite/src/**',
      '@grantkit/core/store-kit',
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:sqlite',
      'node:timers/promises',
    ],
    types: ['@grantkit/core'],
  },
  {
    files: 'packages/store-postgres/src/**',
    imports: ['packages/store-postgres/src/**', '@grantkit/core/store-kit', 'pg', 'node:timers/promises'],
    types: ['@grantkit/core'],
  },
  {
    files: 'packages/testkit/src/**',
    imports: [
      'packages/testkit/src/**',
      '@grantkit/core',
      'vitest',
      'fast-check',
      'node-html-parser',
      'node:*',
      'node:*/*',
    ],
  },
  {
    files: 'packages/limiter/src/**',
    imports: ['packages/limiter/src/**', '@grantkit/core', 'rate-limiter-flexible', 'node:timers/promises'],
  },
  {
    files: 'packages/safe-fetch/src/**',
    imports: [
      'packages/safe-fetch/src/**',
      ...['node:dns', 'node:events', 'node:http', 'node:net', 'node:tls'],
    ],
    types: ['@grantkit/core'],
  },
  {
    files: 'packages/doctor/src/**',
    imports: [
      'packages/doctor/src/**',
      ...[
        '@grantkit/core',
        '@grantkit/core/client-assertion',
        '@grantkit/safe-fetch',
        '@grantkit/store-memory',
        'node:util',
      ],
    ],
  },
  {
    files: 'packages/test-servers/src/**',
    imports: ['packages/test-servers/src/**', 'playwright-core', 'node:*', 'node:*/*'],
  },
  {
    files: 'packages/adapter-express/src/**',
    imports: ['packages/adapter-express/src/**', '@grantkit/core', 'express', 'node:stream'],
  },
  {
    files: 'packages/adapter-fastify/src/**',
    imports: ['packages/adapter-fastify/src/**', '@grantkit/core', 'fastify'],
  },
  {
    files: 'packages/adapter-hono/src/**',
    imports: ['packages/adapter-hono/src/**', '@grantkit/core', 'hono', 'hono/route'],
    types: ['hono/utils/http-status'],
  },
  {
    files: 'examples/hono-mcp/*.ts',
    imports: ['@grantkit/*', '@hono/node-server', '@modelcontextprotocol/server', 'hono'],
  },
  { files: 'examples/fastify/*.ts', imports: ['@fastify/formbody', '@grantkit/*', 'fastify', 'node:crypto'] },
  {
    files: 'examples/quick-start/*.ts',
    imports: ['examples/quick-start/*.ts', '@grantkit/*', '@hono/node-server', 'express', 'fastify', 'hono'],
  },
  { files: 'examples/express/*.ts', imports: ['@grantkit/*', 'express', 'node:crypto'] },
]

/** One sentence for each forbidden import. */
export function violations(files: readonly SourceFile[], table = DEPENDENCY_RULE): string[] {
  return files.flatMap((file) => {
    const row = table.find((row) => matchesGlob(file.path, row.files))
    if (row === undefined) return [`${file.path} is in no row of the dependency rule`]
    return importsOf(file.source).flatMap((found) => violation(file.path, found, row) ?? [])
  })
}

function violation(path: string, { specifier, typeOnly }: Import, row: Row): string | undefined {
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier
  if (allows(row.imports, target)) return undefined
  if (!allows(row.types ?? [], target)) return `${path} must not import ${specifier}`
  return typeOnly ? undefined : `${path} must import only types from ${specifier}, by \`import type\``
}

function allows(patterns: readonly string[], target: string): boolean {
  const taken = patterns.filter((pattern) => pattern.startsWith('!'))
  const given = patterns.filter((pattern) => !pattern.startsWith('!'))
  return (
    given.some((pattern) => matchesGlob(target, pattern)) &&
    !taken.some((pattern) => matchesGlob(target, pattern.slice(1)))
  )
}

interface Import {
  specifier: string
  typeOnly: boolean
}

// Biome keeps every statement at the start of a line, so an example in a comment is not taken for an import.
const STATEMENTS = [
  /^import(?<type>\s+type\b(?!\s*,|\s+from\b))?\s*(?:[^'"]*?\bfrom\s*)?['"](?<specifier>[^'"]+)['"]/gm,
  /^export(?<type>\s+type)?\s*(?:\*[^'"]*?|\{[^}]*\}\s*)from\s*['"](?<specifier>[^'"]+)['"]/gm,
]
const EXPRESSION = /\bimport\(\s*['"](?<specifier>[^'"]+)['"]/g

/** The imports and re-exports of a file: statements first, then expressions. */
export function importsOf(source: string): Import[] {
  const statements = STATEMENTS.flatMap((statement) => [...source.matchAll(statement)])
  const expressions = withoutComments(source).matchAll(EXPRESSION)
  return [...statements, ...expressions].map(({ groups = {} }) => ({
    specifier: groups.specifier ?? '',
    typeOnly: groups.type !== undefined,
  }))
}

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
}
