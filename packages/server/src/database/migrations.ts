import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isPostgres, textOf } from './tables.ts'

/** The migrations of a service, for its own tables. They run with those of the server, in the order of their names. */
export interface AppMigrations {
  /** The table that records the applied ones. Default: `grantkit_migration`. */
  readonly table?: string
  readonly steps: Readonly<Record<string, TableMigration>>
}

export interface TableMigration extends Partial<Pick<Migration, 'up'>> {
  /** Adds rows of a demonstration, in development or on request. They are added once, so removed rows stay removed. */
  readonly demo?: Migration['up']
  /** The `COMPATIBILITY` that a release needs to use the tables after it. Default 1: the migration only adds. */
  readonly needs?: number
}

/**
 * Which tables this release can use. It is incremented by the release that stops using a column. A later migration that
 * drops the column names this number in `needs`.
 */
export const COMPATIBILITY = 1

/**
 * The migrations, ordered by name. A released migration never changes. A change is first added, and the old column is
 * dropped a release later (expand, then contract), so that two consecutive releases can use one database.
 */
const MIGRATIONS: Readonly<Record<string, TableMigration>> = {
  '0003_accounts': { up: createAccounts },
  '0004_audit': { up: createAudit },
  '0005_sign_in': { up: createSignInMethods },
  '0006_rate_limits': { up: createRateLimits },
  '0008_installation_names': { up: createInstallationNames },
  '0009_admin': { up: (database) => addNumber(database, 'account', 'admin') },
  '0010_session_epoch_and_email_source': { up: addSessionEpochAndEmailSource },
  '0011_statistics': { up: createStatistics },
  '0012_attempt_steps': { up: createAttemptSteps },
  '0013_sessions': { up: createSessions },
  '0014_provider_of_identity': { up: (database) => addText(database, 'identity', 'provider') },
  '0015_provider_roles': { up: (database) => addText(database, 'account', 'provider_roles') },
  '0016_remapped_identities': { up: addRemap },
}

/**
 * A migration that changed rows of the accounts too, up to the previous release: here it only adds columns, so tables with accounts must have
 * it already.
 */
export const UPGRADED = { tables: '0003_accounts', by: '0010_session_epoch_and_email_source' }

/** All migrations of a service, and the table that records them. */
export function withAppMigrations(
  { table = 'grantkit_migration', steps }: AppMigrations = { steps: {} },
): Migrations {
  return { table, steps: Object.fromEntries(Object.entries({ ...MIGRATIONS, ...steps }).sort()) }
}

export type Migrations = Required<AppMigrations>

/** The columns of a table by their type: names, separated by spaces. None of them is null, except in `optional`. */
interface Table {
  readonly text: string
  readonly integer?: string
  readonly bigint?: string
  /** Texts that may be null. */
  readonly optional?: string
  /** The primary key. Default: `id`. */
  readonly key?: string
  /** The columns of each index, by its name. */
  readonly indexes?: Readonly<Record<string, string>>
}

async function createTable(database: Kysely<unknown>, name: string, table: Table): Promise<void> {
  const { text, integer = '', bigint = '', optional = '', key = 'id', indexes = {} } = table
  const textType = textOf(database)
  let builder: CreateTableBuilder<string, string> = database.schema.createTable(name)
  const required = [
    [textType, text],
    ['integer', integer],
    ['bigint', bigint],
  ] as const
  for (const [type, names] of required)
    for (const column of wordsOf(names)) builder = builder.addColumn(column, type, (added) => added.notNull())
  for (const column of wordsOf(optional)) builder = builder.addColumn(column, textType)
  await builder.addPrimaryKeyConstraint(`${name}_key`, wordsOf(key)).execute()
  for (const [index, columns] of Object.entries(indexes))
    await database.schema.createIndex(index).on(name).columns(wordsOf(columns)).execute()
}

function wordsOf(names: string): string[] {
  return names.split(' ').filter((name) => name !== '')
}

/** SQLite adds one column at a time. */
async function addNumber(database: Kysely<unknown>, table: string, name: string): Promise<void> {
  const altered = database.schema.alterTable(table)
  await altered.addColumn(name, 'integer', (column) => column.notNull().defaultTo(0)).execute()
}

/** It may be null. */
async function addText(database: Kysely<unknown>, table: string, name: string): Promise<void> {
  await database.schema.alterTable(table).addColumn(name, textOf(database)).execute()
}

async function createAccounts(database: Kysely<unknown>): Promise<void> {
  await createTable(database, 'account', { text: 'id claims password state added_at', optional: 'email' })
  await database.schema.createIndex('account_email').unique().on('account').column('email').execute()
}

/** The session epoch, and who verified the e-mail address. */
async function addSessionEpochAndEmailSource(database: Kysely<unknown>): Promise<void> {
  await addNumber(database, 'account', 'session_epoch')
  for (const column of ['email_source', 'email_since']) await addText(database, 'account', column)
}

/** Who a user of Microsoft is to each app registration, and until when that counts. */
async function addRemap(database: Kysely<unknown>): Promise<void> {
  for (const column of ['tenant', 'oid', 'remap_until']) await addText(database, 'identity', column)
}

/** The names that users give to the installations of their apps. */
function createInstallationNames(database: Kysely<unknown>): Promise<void> {
  const text = 'account installation name'
  return createTable(database, 'installation_name', { text, key: 'account installation' })
}

/** The browsers in which users are signed in. */
function createSessions(database: Kysely<unknown>): Promise<void> {
  return createTable(database, 'session', {
    text: 'id account facts started_at used_at expires_at',
    indexes: { session_by_account: 'account', session_by_expires_at: 'expires_at' },
  })
}

/** The tables of sign-in methods other than passwords. */
async function createSignInMethods(database: Kysely<unknown>): Promise<void> {
  await createTable(database, 'passkey', {
    text: 'id account name public_key transports added_at',
    integer: 'synced',
    bigint: 'counter',
    optional: 'used_at',
    indexes: { passkey_account: 'account' },
  })
  await createTable(database, 'identity', {
    text: 'issuer subject account shown_as added_at',
    key: 'issuer subject',
    indexes: { identity_account: 'account' },
  })
}

/** Counts of events and responses. Its key begins with what every query and every deletion names. */
function createStatistics(database: Kysely<unknown>): Promise<void> {
  return createTable(database, 'statistic', {
    text: 'name label',
    integer: 'resolution start bucket count',
    key: 'resolution start name label bucket',
  })
}

/**
 * The table of rate-limiter-flexible. It is an unlogged table: no check waits for the disk, and Postgres does not
 * replicate it. With SQLite the process counts in memory.
 */
async function createRateLimits(database: Kysely<unknown>): Promise<void> {
  if (!isPostgres(database)) return
  await sql`
    create unlogged table rate_limit (
      key text collate "C" primary key,
      points integer not null,
      expire bigint not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02)`.execute(database)
  await sql`create index rate_limit_end on rate_limit (expire)`.execute(database)
}

const TRAIL_APPENDS = 'The audit trail is append-only'

/**
 * The audit trail. Triggers reject every update, and every deletion before `kept_until`. Only a role that may change
 * tables can drop them.
 */
async function createAudit(database: Kysely<unknown>): Promise<void> {
  await createTable(database, 'audit', {
    text: 'id type facts kept_until',
    optional: 'subject client_id',
    indexes: {
      audit_by_type: 'type id',
      audit_by_subject: 'subject id',
      audit_by_client_id: 'client_id id',
      audit_to_prune: 'kept_until',
    },
  })
  await addTriggers(database, isPostgres(database) ? TRAIL_ON_POSTGRES : TRAIL_ON_SQLITE)
}

const TRAIL_ON_SQLITE = [
  ...neverChanged('audit', TRAIL_APPENDS),
  `CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN old.kept_until >= date('now')
   BEGIN SELECT RAISE(ABORT, '${TRAIL_APPENDS}'); END`,
]

const TRAIL_ON_POSTGRES = [
  `CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'DELETE' THEN
       IF old.kept_until < to_char(now() AT TIME ZONE 'utc', 'YYYY-MM-DD') THEN RETURN old; END IF;
     END IF;
     RAISE EXCEPTION '${TRAIL_APPENDS}';
   END $$`,
  `CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit
   FOR EACH ROW EXECUTE FUNCTION audit_append_only()`,
  `CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit
   FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()`,
]

const STEPS_APPEND = 'The steps of sign-in attempts are append-only'

/**
 * The steps of sign-in attempts. Triggers reject every update; rows are deleted when they expire, and with the account
 * of their user.
 */
async function createAttemptSteps(database: Kysely<unknown>): Promise<void> {
  await createTable(database, 'attempt_steps', {
    text: 'id reference facts kept_until',
    integer: 'failed',
    optional: 'subject client_id',
    indexes: {
      attempt_steps_by_reference: 'reference id',
      attempt_steps_by_failed: 'failed id',
      attempt_steps_by_subject: 'subject id',
      attempt_steps_by_client_id: 'client_id id',
      attempt_steps_to_prune: 'kept_until',
    },
  })
  const triggers = isPostgres(database) ? STEPS_ON_POSTGRES : neverChanged('attempt_steps', STEPS_APPEND)
  await addTriggers(database, triggers)
}

const STEPS_ON_POSTGRES = [
  `CREATE FUNCTION attempt_steps_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION '${STEPS_APPEND}'; END $$`,
  `CREATE TRIGGER attempt_steps_never_changed BEFORE UPDATE ON attempt_steps
   FOR EACH ROW EXECUTE FUNCTION attempt_steps_append_only()`,
]

/** On SQLite `REPLACE` deletes without a trigger, so a row with an existing id is ignored. */
function neverChanged(table: string, words: string): string[] {
  return [
    `CREATE TRIGGER ${table}_never_changed BEFORE UPDATE ON ${table}
   BEGIN SELECT RAISE(ABORT, '${words}'); END`,
    `CREATE TRIGGER ${table}_never_replaced BEFORE INSERT ON ${table}
   WHEN EXISTS (SELECT 1 FROM ${table} WHERE id = new.id)
   BEGIN SELECT RAISE(IGNORE); END`,
  ]
}

async function addTriggers(database: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(database)
}
