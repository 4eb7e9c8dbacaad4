import type { AuditTrail } from '../audit/trail.ts'
import type { ConfiguredService } from '../configured-service.ts'
import type { Database } from '../database/database.ts'

/** Opens the audit trail for a command that needs no other part of the service. */
export async function withTrail(
  { config: { database: url, auditDays: days }, definition }: ConfiguredService,
  work: (trail: AuditTrail, database: Database) => Promise<void>,
): Promise<void> {
  const { actingAs, systemUser } = await import('../audit/actor.ts')
  const { auditTrail } = await import('../audit/trail.ts')
  const { openMigrated } = await import('../database/migrate.ts')
  const { withAppMigrations } = await import('../database/migrations.ts')
  const { variableAtFault } = await import('../config/variable-at-fault.ts')
  const open = () => openMigrated(url, console.error, withAppMigrations(definition.migrations))
  const database = await variableAtFault('DATABASE_URL', open, definition.commands)
  try {
    const trail = auditTrail(database, { days, onWarning: console.error })
    await actingAs(systemUser(), () => work(trail, database))
    await trail.close()
  } finally {
    await database.destroy()
  }
}
