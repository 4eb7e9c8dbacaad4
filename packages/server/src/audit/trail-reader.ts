import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import { type AuditPage, type AuditQuery, auditPage } from './reading.ts'
import type { AuditTrail } from './trail.ts'

/** Reads the audit trail, including the latest entries. @throws OAuthError `temporarily_unavailable` */
export interface TrailReader {
  /** One page, the newest first. @param cursor the `next` of the previous page */
  page(query: AuditQuery, limit: number, cursor?: string): Promise<AuditPage>
  /** The number of entries of a type since a time (ISO 8601, in UTC), at most `most`. */
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
