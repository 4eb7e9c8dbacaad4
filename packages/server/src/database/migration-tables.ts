import { type Kysely, sql } from 'kysely'
import type { Migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/** An applied migration. */
export interface CarriedOut {
  readonly name: string
  /** The `COMPATIBILITY` that a release needs after it. */
  readonly needs: number
}

type Early = { kysely_migration: { name: string; timestamp: string } }

/**
 * In any order. A newer release may have applied migrations that this one does not know. Earlier releases recorded some
 * in the table of Kysely's migrator.
 *
 * @throws Error if another program uses Kysely's migrator
 */
export async function carriedOut(
  database: Kysely<Tables>,
  { table, steps }: Migrations,
): Promise<CarriedOut[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  const has = (name: string) => tables.some((known) => known.name === name)
  const names = database.withTables<Early>()
  const early = has('kysely_migration')
    ? await names.selectFrom('kysely_migration').select('name').execute()
    : []
  const foreign = early.find(({ name }) => !Object.hasOwn(steps, name))
  if (foreign !== undefined)
    throw new Error(`kysely_migration of another program has ${foreign.name}: name another database`)
  const late = has(table)
    ? await names
        .selectFrom(sql<CarriedOut>`${sql.table(table)}`.as('late'))
        .selectAll()
        .execute()
    : []
  return [...early.map(({ name }) => ({ name, needs: 1 })), ...late]
}

/**
 * Records a migration. What the previous release looks for in the table of Kysely's migrator is recorded there, so that
 * it can start on a database that this release created. The next release records everything in `table`.
 */
export async function record(
  database: Kysely<Tables>,
  { table, lastInKysely }: Migrations,
  { name, needs }: CarriedOut,
): Promise<void> {
  if (name <= lastInKysely) return recordInKysely(database, name)
  await database.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('needs', 'integer')
    .execute()
  await sql`insert into ${sql.table(table)} (name, needs) values (${name}, ${needs})`.execute(database)
}

async function recordInKysely(database: Kysely<Tables>, name: string): Promise<void> {
  await database.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute()
  const row = { name, timestamp: new Date().toISOString() }
  await database.withTables<Early>().insertInto('kysely_migration').values(row).execute()
}
