import type { Kysely } from 'kysely'
import { MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'

/** An applied migration. */
export interface CarriedOut {
  readonly name: string
  /** The `COMPATIBILITY` that a release needs after it. */
  readonly needs: number
}

type Names = {
  kysely_migration: { name: string; timestamp: string }
  school_migration: { name: string; needs: number }
}

/**
 * Releases up to this migration use Kysely's migrator. It rejects unknown names, so its table gets no later migrations.
 */
const LAST_OF_KYSELY = '0009_admin'

/**
 * In any order. A newer release may have applied migrations that this one does not know.
 *
 * @throws Error if another program uses Kysely's migrator, which would reject our names
 */
export async function carriedOut(database: Kysely<Tables>): Promise<CarriedOut[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true })
  const has = (table: keyof Names) => tables.some(({ name }) => name === table)
  const names = database.withTables<Names>()
  const early = has('kysely_migration')
    ? await names.selectFrom('kysely_migration').select('name').execute()
    : []
  const foreign = early.find(({ name }) => !Object.hasOwn(MIGRATIONS, name))
  if (foreign !== undefined)
    throw new Error(`kysely_migration of another program has ${foreign.name}: name another database`)
  const late = has('school_migration') ? await names.selectFrom('school_migration').selectAll().execute() : []
  return [...early.map(({ name }) => ({ name, needs: 1 })), ...late]
}

export async function record(database: Kysely<Tables>, { name, needs }: CarriedOut): Promise<void> {
  const names = database.withTables<Names>()
  if (name <= LAST_OF_KYSELY) {
    await createTable(database, 'kysely_migration').addColumn('timestamp', 'varchar(255)').execute()
    const timestamp = new Date().toISOString()
    await names.insertInto('kysely_migration').values({ name, timestamp }).execute()
  } else {
    await createTable(database, 'school_migration').addColumn('needs', 'integer').execute()
    await names.insertInto('school_migration').values({ name, needs }).execute()
  }
}

/** The same columns as the table of Kysely. */
function createTable(database: Kysely<Tables>, table: keyof Names) {
  return database.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
}
