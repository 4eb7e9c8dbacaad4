import type { Tables } from './tables.ts'

/**
 * The steps to the tables of this release. A release adds what the one before can live with, and a later release takes
 * away, so that both run on the same tables. A step that was released is never changed. MySQL commits each statement by
 * itself, so a step that was interrupted runs again, and every statement must bear that.
 */
export const MIGRATIONS: readonly ((tables: Tables) => readonly string[])[] = [firstSchema]

/** The version that a release must know to use the tables after these steps. One that takes something away raises it. */
export const VERSION = 1

/** The highest version that this release knows. It grows a release before `VERSION` does. */
export const KNOWN_VERSION = 1

/**
 * Keys are ASCII and compare by bytes. Versions and expiries change with every write, so no index has them. Rows are swept
 * by the day that follows their end, which seldom changes.
 */
function firstSchema({ client, grant, transient, schema }: Tables): readonly string[] {
  return [
    recordTable(client),
    recordTable(
      grant,
      `subject VARCHAR(64) NOT NULL,
      owner VARCHAR(64) NOT NULL,
      created_at BIGINT NOT NULL,
      KEY ${grant}_by_subject (subject, created_at, id),
      KEY ${grant}_by_owner (owner, created_at, id),`,
    ),
    recordTable(transient),
    `CREATE TABLE IF NOT EXISTS ${schema} (
      only_row TINYINT NOT NULL PRIMARY KEY,
      version INT NOT NULL,
      steps INT NOT NULL
    ) ENGINE = InnoDB`,
  ]
}

function recordTable(name: string, more = ''): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (
      id VARCHAR(64) NOT NULL PRIMARY KEY,
      version VARCHAR(32) NOT NULL,
      value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
      expires_at BIGINT NOT NULL,
      ${more}
      sweep_day INT GENERATED ALWAYS AS (expires_at DIV 86400 + 1) STORED,
      KEY ${name}_sweep (sweep_day)
    ) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin`
}
