import { type Kysely, sql } from 'kysely'
import { isPostgres, textOf } from './tables.ts'

/**
 * The steps of sign-in attempts. Triggers reject every update; rows are deleted when they expire, and with the account
 * of their user.
 */
export async function createAttemptSteps(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('attempt_steps')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('reference', text, (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('subject', text)
    .addColumn('client_id', text)
    .addColumn('facts', text, (column) => column.notNull())
    .addColumn('kept_until', text, (column) => column.notNull())
    .execute()
  for (const column of ['reference', 'failed', 'subject', 'client_id'])
    await database.schema
      .createIndex(`attempt_steps_by_${column}`)
      .on('attempt_steps')
      .columns([column, 'id'])
      .execute()
  await database.schema
    .createIndex('attempt_steps_to_prune')
    .on('attempt_steps')
    .column('kept_until')
    .execute()
  for (const statement of isPostgres(database) ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS)
    await sql.raw(statement).execute(database)
}

const APPEND_ONLY = 'The steps of sign-in attempts are append-only'

/** `REPLACE` deletes without a trigger, so a row with an existing id is ignored. */
const SQLITE_TRIGGERS = [
  `CREATE TRIGGER attempt_steps_never_changed BEFORE UPDATE ON attempt_steps
   BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  `CREATE TRIGGER attempt_steps_never_replaced BEFORE INSERT ON attempt_steps
   WHEN EXISTS (SELECT 1 FROM attempt_steps WHERE id = new.id)
   BEGIN SELECT RAISE(IGNORE); END`,
]

const POSTGRES_TRIGGERS = [
  `CREATE FUNCTION attempt_steps_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION '${APPEND_ONLY}'; END $$`,
  `CREATE TRIGGER attempt_steps_never_changed BEFORE UPDATE ON attempt_steps
   FOR EACH ROW EXECUTE FUNCTION attempt_steps_append_only()`,
]
