import { type Kysely, sql } from 'kysely'
import { record } from './migration-tables.ts'
import type { Migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/**
 * The demo rows of a migration wait until `addDemoRows`, and the table of migrations has a record of that. A release
 * that added them at once made no such record.
 */
export function recordPending(rows: Kysely<Tables>, migrations: Migrations, name: string): Promise<void> {
  return record(rows, migrations, { name: pending(name), needs: 1 })
}

/** Adds the demo rows that still wait. */
export async function addDemoRows(rows: Kysely<Tables>, { table, steps }: Migrations): Promise<void> {
  for (const [name, { demo }] of Object.entries(steps)) {
    if (demo === undefined) continue
    const taken = sql`delete from ${sql.table(table)} where name = ${pending(name)}`
    const { numAffectedRows } = await taken.execute(rows)
    if (numAffectedRows) await demo(rows)
  }
}

function pending(name: string): string {
  return `pending ${name}`
}
