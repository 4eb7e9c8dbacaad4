import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { type AuditPage, type AuditQuery, auditPage } from './reading.ts'
import type { AuditTrail } from './trail.ts'

/** Reads the audit trail, with what was written down a moment ago. @throws OAuthError `temporarily_unavailable` */
export interface TrailReader {
  /** One page, the newest first. @param cursor the `next` of the page before */
  page(query: AuditQuery, limit: number, cursor?: string): Promise<AuditPage>
  /** How many entries of a type there are since a moment (ISO 8601, in UTC). Counts no further than `most`. */
  count(type: string, since: string, most: number): Promise<number>
}

export function trailReader(database: Database, trail: Pick<AuditTrail, 'flush'>): TrailReader {
  return errorsAs503<TrailReader>({
    async page(query, limit, cursor) {
      await trail.flush()
      return auditPage(database, query, limit, cursor)
    },
    async count(type, since, most) {
      const { count } = await database
        .selectFrom((tables) =>
          tables
            .selectFrom('audit')
            .select('id')
            .where('type', '=', type)
            .where('id', '>=', since)
            .limit(most)
            .as('some'),
        )
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  })
}
