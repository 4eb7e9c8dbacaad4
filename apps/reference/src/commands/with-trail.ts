import { actingAs, systemUser } from '../audit/actor.ts'
import { type AuditTrail, auditTrail } from '../audit/trail.ts'
import type { Database } from '../database/database.ts'
import { openMigrated } from '../database/migrate.ts'
import { settingAtFault } from '../settings/setting-at-fault.ts'
import type { Settings } from '../settings/settings.ts'

/** Opens the audit trail for a command that needs no other part of the service. */
export async function withTrail(
  { DATABASE_URL, AUDIT_DAYS: days }: Settings,
  work: (trail: AuditTrail, database: Database) => Promise<void>,
): Promise<void> {
  const database = await settingAtFault('DATABASE_URL', () => openMigrated(DATABASE_URL, console.error))
  try {
    const trail = auditTrail(database, { days, onWarning: console.error })
    await actingAs(systemUser(), () => work(trail, database))
    await trail.close()
  } finally {
    await database.destroy()
  }
}
