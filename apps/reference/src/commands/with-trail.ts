import { actingAs, userOfMachine } from '../audit/actor.ts'
import { type AuditTrail, auditTrail } from '../audit/trail.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import type { Settings } from '../settings/settings.ts'

/** Opens the audit trail for a command that needs nothing else of the service. */
export async function withTrail(
  { DATABASE_URL, AUDIT_DAYS: days }: Settings,
  work: (trail: AuditTrail, database: Database) => Promise<void>,
): Promise<void> {
  const database = await openDatabase(DATABASE_URL, console.error)
  try {
    await migrate(database)
    const trail = auditTrail(database, { days, onWarning: console.error })
    await actingAs(userOfMachine(), () => work(trail, database))
    await trail.close()
  } finally {
    await database.destroy()
  }
}
