import type { Store } from '@grantkit/core'
import type { Client, Transient, Transients } from '@grantkit/core/feature'
import {
  type Keys,
  keysOf,
  onceAMinute,
  type Random,
  systemClock,
  type Time,
  versionWriter,
} from '@grantkit/core/store-kit'
import { grantRecords, grantStatements } from './grant-records.ts'
import { groupCommit } from './group-commit.ts'
import { type RecordSource, recordStatements, sqliteRecords } from './records.ts'
import { openMigrated, probeStatement, type SchemaOptions, tablesOf } from './schema.ts'
import { sweep } from './sweep.ts'

export interface SqliteStoreOptions extends SchemaOptions {
  /**
   * What an acknowledged write survives. `'machine'`: a power cut, at the price of waiting for the disk. `'process'`: a
   * crash of the process; a power cut loses the last writes, revocations too. Default `'machine'`.
   */
  readonly durability?: 'machine' | 'process' | undefined
  /** Deletes expired rows about once a minute. Default true; otherwise call `sweep` yourself. */
  readonly sweeping?: boolean | undefined
  /** The time in epoch seconds. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /** Waits, for tests. Default: the timers and the event loop of the runtime. */
  readonly time?: Time | undefined
  /** Random bytes for versions and pauses, for tests. Default: strong randomness. */
  readonly random?: Random | undefined
}

export interface SqliteStore extends Store {
  readonly transients: Transients
  within(namespace: string): Store
  /** For a readiness probe: rejects when the file cannot be read and written now. */
  probe(): Promise<void>
  /** Deletes rows that expired on a day before this one (UTC) and an hour ago, and returns how many. */
  sweep(): Promise<number>
  /** Commits what waits and closes the file. */
  close(): Promise<void>
}

/**
 * A store in a SQLite file on a local disk. One process at a time is best; several on one host may share the file.
 *
 * @throws Error that says what to run, when `migrate` has not prepared the file for this release
 *
 * @example
 * ```ts
 * import { createSqliteStore, migrate } from '@grantkit/store-sqlite'
 *
 * migrate({ path: 'grants.sqlite' })
 * const store = createSqliteStore({ path: 'grants.sqlite' })
 * ```
 */
export function createSqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { path, prefix, durability, sweeping = true, now = systemClock, time, random } = options
  const tables = tablesOf(prefix)
  const database = openMigrated(path, tables)
  database.exec(`PRAGMA synchronous = ${durability === 'process' ? 'NORMAL' : 'FULL'}`)
  const commits = groupCommit(database, time)
  const source: RecordSource = { commits, now, newVersion: versionWriter(random) }

  const probe = database.prepare(probeStatement(tables))
  const sweepAll = () => sweep(database, [tables.client, tables.grant, tables.transient], now(), time)
  const stopSweeping = sweeping ? onceAMinute(sweepAll, { time, random }) : () => {}

  const clients = recordStatements(database, tables.client)
  const grants = grantStatements(database, tables.grant)
  const transients = recordStatements(database, tables.transient)
  const recordsOf = (keys: Keys) => ({
    clients: sqliteRecords<Client>(source, clients, keys),
    grants: grantRecords(source, grants, keys),
    transients: sqliteRecords<Transient>(source, transients, keys),
  })

  return {
    ...recordsOf(keysOf()),
    within: (namespace) => recordsOf(keysOf(namespace)),
    probe: async () => void (await commits.write(() => probe.run())),
    sweep: sweepAll,
    async close() {
      stopSweeping()
      commits.flush()
      if (database.isOpen) database.close()
    },
  }
}
