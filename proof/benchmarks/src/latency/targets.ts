import type { ExchangeName } from './exchange.ts'

export interface LatencyTarget {
  /** For `--only`. */
  readonly name: string
  /** In the tables. */
  readonly title: string
  readonly file: string
  readonly exchanges: readonly ExchangeName[]
  /** The grants that are refreshed in turn. */
  readonly grants: number
  /** How many times as long as the others it is warmed up. Default: 1. */
  readonly warmUp?: number
  /** The environment variable that names the program, which npm cannot install. */
  readonly program?: string
}

const BOTH = ['refresh', 'consent'] as const

export const LATENCY_TARGETS: readonly LatencyTarget[] = [
  row('memory', 'Grantkit, memory', 'grantkit/fastify.ts'),
  row('sqlite', 'Grantkit, SQLite', 'grantkit/fastify-sqlite.ts'),
  row('redis', 'Grantkit, Redis', 'grantkit/fastify-redis.ts'),
  row('postgres', 'Grantkit, Postgres', 'grantkit/fastify-postgres.ts'),
  row('mysql', 'Grantkit, MariaDB', 'grantkit/fastify-mysql.ts'),
  row('service-sqlite', 'Reference service, SQLite', 'grantkit/service-sqlite.ts', {
    exchanges: ['consent'],
  }),
  row('service-postgres', 'Reference service, Postgres', 'grantkit/service-postgres.ts', {
    exchanges: ['consent'],
  }),
  row('oidc-provider', 'oidc-provider, Postgres', 'peers/oidc-provider-postgres.ts'),
  // A Java machine compiles later.
  row('keycloak', 'Keycloak, Postgres', 'peers/keycloak.ts', {
    grants: 200,
    warmUp: 6,
    program: 'KEYCLOAK_HOME',
  }),
  row('hydra', 'Hydra, Postgres', 'peers/hydra.ts', {
    grants: 200,
    program: 'HYDRA_PATH',
    exchanges: ['refresh'],
  }),
]

/** The rows of the README. */
export const SHOWN = ['sqlite', 'postgres', 'oidc-provider', 'keycloak', 'hydra']

function row(name: string, title: string, file: string, more: Partial<LatencyTarget> = {}): LatencyTarget {
  return { name, title, file, exchanges: BOTH, grants: 500, ...more }
}
