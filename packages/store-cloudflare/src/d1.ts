/**
 * Clients and grants in one D1 database, for Cloudflare Workers.
 *
 * @module
 */
import type { Store } from '@grantkit/core'
import type { Client, Grant, GrantRecords, Transient, Transients } from '@grantkit/core/feature'
import { cursorOf, decodeRecord, type Keys, keysOf, placeOf } from '@grantkit/core/store-kit'
import { type Database, rowsOf } from './d1-database.ts'
import { D1_SCHEMA, D1_STATEMENTS, D1_SWEEPS, d1List } from './d1-schema.ts'
import { COMMAND_TIMEOUT, type CommonOptions, epochSeconds } from './options.ts'
import { type Row, type SqlValue, type StatementRunner, statementRecords } from './records.ts'
import { sweepTables } from './sweep.ts'

export type { Database, DatabaseStatement } from './d1-database.ts'

export interface D1StoreOptions extends CommonOptions {}

export interface D1Store extends Store {
  readonly transients: Transients
  within(namespace: string): Store
  /**
   * Deletes rows that ended an hour ago, and returns how many. Call it from a cron trigger: it reads 2,000 rows a step, from
   * a random key on, and takes 20 steps at most, so that it fits into the limits of one invocation.
   */
  sweep(options?: { readonly maxSteps?: number | undefined }): Promise<number>
}

/**
 * A store in a D1 database, whose tables `migrate` or `wrangler d1 migrations apply` has made.
 *
 * @param database the binding, without a session
 *
 * @example
 * ```ts
 * import { createD1Store, type Database } from '@grantkit/store-cloudflare/d1'
 *
 * export const storeOf = (env: { readonly DB: Database }) => createD1Store(env.DB)
 * ```
 */
export function createD1Store(
  database: Database,
  { commandTimeout = COMMAND_TIMEOUT, now = epochSeconds }: D1StoreOptions = {},
): D1Store {
  const rows = (statement: string, values: readonly SqlValue[]) =>
    rowsOf(database, commandTimeout, statement, values)
  const run: StatementRunner['run'] = ({ kind, verb, key, parameters }) =>
    rows(D1_STATEMENTS[kind][verb], [key, ...parameters])
  const runner = { run, parts: () => [run], now }

  const recordsOf = (keys: Keys) => ({
    clients: statementRecords<Client>(runner, 'client', keys),
    grants: grantRecords(keys),
    transients: statementRecords<Transient>(runner, 'transient', keys),
  })
  const grantRecords = (keys: Keys): GrantRecords => ({
    ...statementRecords<Grant>(runner, 'grant', keys, ({ subject, clientId, createdAt }) => [
      keys.subject(subject),
      keys.subject(subject, clientId),
      createdAt,
    ]),
    async list({ subject, clientId }, { limit, after }) {
      const { order, key } = placeOf(after)
      const statement = clientId === undefined ? BY_SUBJECT : BY_OWNER
      const { result } = await rows(statement, [keys.subject(subject, clientId), order, key, now(), limit])
      return pageOf(result, limit)
    },
  })

  return {
    ...recordsOf(keysOf()),
    within: (namespace) => recordsOf(keysOf(namespace)),
    sweep: ({ maxSteps = MAX_STEPS } = {}) =>
      sweepTables(async (statement, values) => (await rows(statement, values)).result, {
        tables: D1_SWEEPS,
        now: now(),
        maxSteps,
      }),
  }
}

const [BY_SUBJECT, BY_OWNER] = [d1List('subject'), d1List('owner')]

function pageOf(rows: readonly Row[], limit: number): Awaited<ReturnType<GrantRecords['list']>> {
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    grants: rows.map(({ value }) => decodeRecord<Grant>(String(value))),
    next: last && cursorOf({ order: Number(last.created_at), key: String(last.id) }),
  }
}

const MAX_STEPS = 20

/**
 * Makes the tables of this release, where they are missing. Running it again changes nothing. `wrangler d1 migrations apply`
 * does the same with the files in `migrations/` of this package.
 *
 * @example
 * ```ts
 * import { type Database, migrate } from '@grantkit/store-cloudflare/d1'
 *
 * export const prepare = (env: { readonly DB: Database }) => migrate(env.DB)
 * ```
 */
export async function migrate(database: Database): Promise<void> {
  await database.batch(D1_SCHEMA.map((statement) => database.prepare(statement)) as never[])
}
