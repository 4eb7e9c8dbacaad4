import { join } from 'node:path'
import type { Source } from './measure.ts'
import { WORKLOAD_NAMES, type WorkloadName } from './workloads.ts'

/** The framework that all are compared with, and whose rounds show how steady the machine was. */
export const YARDSTICK = 'bare-fastify'

interface TargetRow {
  /** Its name in the tables. */
  readonly title: string
  readonly file: string
  /** What is measured of it. */
  readonly workloads: readonly WorkloadName[]
  /** The framework without OAuth that it is compared with. */
  readonly baseline: string
}

/** The workloads that depend on the store most, of peers, and of the optional features. */
const STORED = ['code', 'refresh'] as const
const PEERS = [...STORED, 'protected', 'introspect'] as const
const PLAIN = [...PEERS, 'userinfo'] as const
const EXPLAINED = [...STORED, 'protected'] as const
const FEATURES = ['jwt', 'dpop', 'par'] as const
const SERVICE = ['code', 'refresh', 'introspect', 'userinfo', 'mcp'] as const

const ROWS: Readonly<Record<string, TargetRow>> = {
  fastify: row('Grantkit, Fastify', 'grantkit/fastify.ts', PLAIN),
  express: row('Grantkit, Express', 'grantkit/express.ts', PLAIN, 'bare-express'),
  hono: row('Grantkit, Hono', 'grantkit/hono.ts', PLAIN, 'bare-hono'),
  sqlite: row('Grantkit, Fastify, SQLite', 'grantkit/fastify-sqlite.ts', STORED),
  redis: row('Grantkit, Fastify, Redis', 'grantkit/fastify-redis.ts', STORED),
  postgres: row('Grantkit, Fastify, Postgres', 'grantkit/fastify-postgres.ts', STORED),
  features: row('Grantkit, Fastify, features', 'grantkit/fastify-features.ts', FEATURES),
  explained: row('Grantkit, Fastify, explain', 'grantkit/fastify-explained.ts', EXPLAINED, 'fastify'),
  service: row('Reference service, Fastify', 'grantkit/reference-service.ts', SERVICE),
  'oidc-provider': row('oidc-provider', 'peers/oidc-provider.ts', PEERS),
  'node-oauth': row('@node-oauth, Express', 'peers/node-oauth.ts', except(PEERS, 'introspect')),
  jmondi: row('@jmondi, Fastify', 'peers/jmondi.ts', except(PEERS, 'protected')),
  workers: row('workers-oauth-provider', 'peers/workers.ts', except(PEERS, 'introspect')),
  mcp: row('MCP SDK, Express', 'peers/mcp.ts', except(PEERS, 'introspect')),
  'mcp-sdk': row('MCP SDK, one tool, Fastify', 'peers/mcp-sdk.ts', ['mcp']),
  'better-auth': row('better-auth', 'peers/better-auth.ts', PEERS),
  [YARDSTICK]: row('bare Fastify', 'bare/fastify.ts', WORKLOAD_NAMES),
  'bare-express': row('bare Express', 'bare/express.ts', PLAIN),
  'bare-hono': row('bare Hono', 'bare/hono.ts', PLAIN),
}

export const TARGETS = Object.keys(ROWS)

/** The table of docs/comparison.md. */
export const PEER_TABLE = ['fastify', 'mcp', 'node-oauth', 'oidc-provider', 'better-auth', YARDSTICK]
export const PEER_TABLE_WORKLOADS: readonly WorkloadName[] = PEERS

/** What two checkouts are compared by, unless the command names others. */
export const COMPARED = ['fastify', 'features', 'service']

export const ROOT = join(import.meta.dirname, '../../..')

export function sourceOf(name: string, checkout = ROOT): Source {
  return { name, checkout, file: rowOf(name).file }
}

export function rowOf(name: string): TargetRow {
  const found = ROWS[name]
  if (found === undefined) throw new Error(`There is no target ${name}`)
  return found
}

function row(
  title: string,
  file: string,
  workloads: readonly WorkloadName[],
  baseline = YARDSTICK,
): TargetRow {
  return { title, file, workloads, baseline }
}

function except(workloads: readonly WorkloadName[], absent: WorkloadName): WorkloadName[] {
  return workloads.filter((name) => name !== absent)
}
