import { type Kysely, sql } from 'kysely'
import { isPostgres, textOf } from './tables.ts'

/**
 * The audit trail. Triggers reject every update, and every deletion before `kept_until`. Only a role that may change
 * tables can drop them.
 */
export async function createAudit(database: Kysely<unknown>): Promise<void> {
  const text = textOf(database)
  await database.schema
    .createTable('audit')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('subject', text)
    .addColumn('client_id', text)
    .addColumn('facts', text, (column) => column.notNull())
    .addColumn('kept_until', text, (column) => column.notNull())
    .execute()
  for (const column of ['type', 'subject', 'client_id'])
    await database.schema.createIndex(`audit_by_${column}`).on('audit').columns([column, 'id']).execute()
  await database.schema.createIndex('audit_to_prune').on('audit').column('kept_until').execute()
  for (const statement of isPostgres(database) ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS)
    await sql.raw(statement).execute(database)
}

const APPEND_ONLY = 'The audit trail is append-only'

/** `REPLACE` deletes without a trigger, so a row with an existing id is ignored. */
const SQLITE_TRIGGERS = [
  `CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit
   BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  `CREATE TRIGGER audit_kept BEFORE DELETE ON audit WHEN old.kept_until >= date('now')
   BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  `CREATE TRIGGER audit_never_replaced BEFORE INSERT ON audit
   WHEN EXISTS (SELECT 1 FROM audit WHERE id = new.id)
   BEGIN SELECT RAISE(IGNORE); END`,
]

const POSTGRES_TRIGGERS = [
  `CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'DELETE' THEN
       IF old.kept_until < to_char(now() AT TIME ZONE 'utc', 'YYYY-MM-DD') THEN RETURN old; END IF;
     END IF;
     RAISE EXCEPTION '${APPEND_ONLY}';
   END $$`,
  `CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE ON audit
   FOR EACH ROW EXECUTE FUNCTION audit_append_only()`,
  `CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit
   FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()`,
]
