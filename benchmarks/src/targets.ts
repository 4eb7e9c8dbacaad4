import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkName } from './work.ts'

/** The framework that all are compared by, and whose rounds tell how steady the machine was. */
export const YARDSTICK = 'bare-fastify'

/** The targets, one row each. A target without its file or its packages is left out. */
export interface TargetRow {
  readonly name: string
  /** Its name in the tables. */
  readonly title: string
  readonly kind: 'grantkit' | 'peer' | 'limit' | 'calibration'
  readonly file: string
  /** A folder of this repository that it needs. */
  readonly needs?: string
  /** The bare framework that is measured beside it. Default: bare Fastify. */
  readonly against?: string
  /** The workloads that are measured of it, unless the command names others. Default: all that it offers. */
  readonly only?: readonly WorkName[]
  /** Shows a detail that the front page does not need. */
  readonly detail?: boolean
  /** It keeps grants in its own memory, so the memory of one can be measured. */
  readonly keepsGrants?: boolean
}

/** What depends on the store most. */
const STORED = ['code', 'refresh'] as const

const ALL_TARGETS: readonly TargetRow[] = [
  {
    name: 'fastify',
    title: 'Grantkit, Fastify',
    kind: 'grantkit',
    keepsGrants: true,
    file: 'grantkit/fastify.ts',
  },
  {
    name: 'express',
    title: 'Grantkit, Express',
    kind: 'grantkit',
    against: 'bare-express',
    file: 'grantkit/express.ts',
    needs: 'packages/adapter-express',
  },
  {
    name: 'hono',
    title: 'Grantkit, Hono',
    kind: 'grantkit',
    against: 'bare-hono',
    file: 'grantkit/hono.ts',
    needs: 'packages/adapter-hono',
  },
  {
    name: 'express-behind-parser',
    title: 'Grantkit behind urlencoded()',
    kind: 'grantkit',
    detail: true,
    against: 'bare-express',
    only: [],
    file: 'grantkit/express-behind-parser.ts',
  },
  {
    name: 'hono-behind-parser',
    title: 'Grantkit behind parseBody()',
    kind: 'grantkit',
    detail: true,
    against: 'bare-hono',
    only: [],
    file: 'grantkit/hono-behind-parser.ts',
  },
  {
    name: 'node-http',
    title: 'Grantkit, node:http',
    kind: 'grantkit',
    against: 'bare-node',
    file: 'grantkit/node-http.ts',
  },
  {
    name: 'redis',
    title: 'Grantkit, Fastify, Redis',
    kind: 'grantkit',
    against: 'bare-redis',
    only: STORED,
    file: 'grantkit/fastify-redis.ts',
  },
  {
    name: 'sqlite',
    title: 'Grantkit, Fastify, SQLite',
    kind: 'grantkit',
    only: STORED,
    file: 'grantkit/fastify-sqlite.ts',
  },
  {
    name: 'postgres',
    title: 'Grantkit, Fastify, Postgres',
    kind: 'grantkit',
    against: 'bare-postgres',
    only: STORED,
    file: 'grantkit/fastify-postgres.ts',
  },
  {
    name: 'service',
    title: 'Reference service, Fastify',
    kind: 'grantkit',
    file: 'grantkit/reference-service.ts',
    needs: 'apps/reference',
  },
  {
    name: 'features',
    title: 'Grantkit, Fastify, features on',
    kind: 'grantkit',
    detail: true,
    file: 'grantkit/fastify-features.ts',
  },
  {
    name: 'oidc-provider',
    title: 'oidc-provider',
    kind: 'peer',
    keepsGrants: true,
    file: 'peers/oidc-provider.ts',
  },
  {
    name: 'node-oauth',
    title: '@node-oauth, Express',
    kind: 'peer',
    keepsGrants: true,
    file: 'peers/node-oauth.ts',
  },
  { name: 'jmondi', title: '@jmondi, Fastify', kind: 'peer', keepsGrants: true, file: 'peers/jmondi.ts' },
  {
    name: 'workers',
    title: 'workers-oauth-provider',
    kind: 'peer',
    keepsGrants: true,
    file: 'peers/workers.ts',
  },
  { name: 'mcp', title: 'MCP SDK, Express', kind: 'peer', keepsGrants: true, file: 'peers/mcp.ts' },
  {
    name: 'better-auth',
    title: 'better-auth',
    kind: 'peer',
    keepsGrants: true,
    file: 'peers/better-auth.ts',
  },
  { name: 'bare-node', title: 'bare node:http', kind: 'limit', file: 'limits/node-http.ts' },
  { name: 'bare-fastify', title: 'bare Fastify', kind: 'limit', file: 'limits/fastify.ts' },
  {
    name: 'bare-redis',
    title: 'bare Fastify, Redis',
    kind: 'limit',
    detail: true,
    only: STORED,
    file: 'limits/fastify-redis.ts',
  },
  {
    name: 'bare-postgres',
    title: 'bare Fastify, Postgres',
    kind: 'limit',
    detail: true,
    only: STORED,
    file: 'limits/fastify-postgres.ts',
  },
  { name: 'bare-express', title: 'bare Express', kind: 'limit', file: 'limits/express.ts' },
  { name: 'bare-hono', title: 'bare Hono', kind: 'limit', file: 'limits/hono.ts' },
  {
    name: 'raw-socket',
    title: 'raw socket',
    kind: 'calibration',
    detail: true,
    file: 'limits/raw-socket.ts',
  },
]

const ROOT = join(import.meta.dirname, '../..')

export const TARGETS = ALL_TARGETS.filter(
  ({ file, needs = '' }) => existsSync(join(ROOT, 'benchmarks', file)) && existsSync(join(ROOT, needs)),
)

/** The bare framework that a target is measured beside; bare Fastify is measured beside itself. */
export function yardstickOf({ against = YARDSTICK }: TargetRow): TargetRow {
  const found = TARGETS.find(({ name }) => name === against)
  if (found === undefined) throw new Error(`There is no target ${against}`)
  return found
}
