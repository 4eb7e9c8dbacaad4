import type { Tables } from './tables.ts'

/**
 * The steps to the tables of this release. A release adds what the one before can live with, and a later release takes
 * away, so that both run on the same tables. A step that was released is never changed.
 */
export const MIGRATIONS: readonly ((tables: Tables) => string)[] = [firstSchema, listsByPages]

/** The version that a release must know to use the tables after these steps. One that takes something away raises it. */
export const VERSION = 1

/** The highest version that this release knows. It grows a release before `VERSION` does. */
export const KNOWN_VERSION = 1

/**
 * Text of keys compares by bytes, so no index breaks when the system's sort order changes. Versions and expiries change
 * with every write; no index has them, so that an update leaves all indexes alone. Rows are swept by the day that
 * follows their end, which seldom changes.
 */
function firstSchema({ client, grant, transient, schema }: Tables): string {
  const table = (name: string, subject = '') => `
CREATE TABLE ${name} (
  id         text COLLATE "C" PRIMARY KEY,${subject}
  version    text COLLATE "C" NOT NULL,
  value      text NOT NULL,
  expires_at bigint NOT NULL,
  sweep_day  integer NOT NULL GENERATED ALWAYS AS ((expires_at / 86400 + 1)::integer) STORED
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ${name}_sweep ON ${name} (sweep_day);`
  return `
${table(client)}
${table(grant, '\n  subject    text COLLATE "C" NOT NULL,')}
CREATE INDEX ${grant}_subject ON ${grant} (subject);
${table(transient)}
CREATE TABLE ${schema} (version integer NOT NULL);
INSERT INTO ${schema} VALUES (0);`
}

/**
 * Older grants, and new grants of a replica with the earlier release, are at the end of the list of their subject, and in
 * no list of an owner. No row is rewritten, so the tables are locked only while the indexes are made.
 */
function listsByPages({ grant }: Tables): string {
  return `
ALTER TABLE ${grant}
  ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN created_at bigint NOT NULL DEFAULT 0;
CREATE INDEX ${grant}_by_subject ON ${grant} (subject, created_at, id);
CREATE INDEX ${grant}_by_owner ON ${grant} (owner, created_at, id);
DROP INDEX ${grant}_subject;`
}
