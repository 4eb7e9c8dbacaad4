import type { Database } from '../database/database.ts'
import { errorsAs503 } from '../database/errors-as-503.ts'
import type { SchoolRecordRow } from '../database/tables.ts'
import type { AreaName } from '../scopes.ts'
import type { Content } from './content.ts'

/** A record of the school. Its other members depend on its area. */
export interface SchoolRecord {
  readonly id: string
  /** Whether everybody may see it, if its area is a catalogue. */
  readonly published?: boolean
  readonly [member: string]: unknown
}

/** The current records of each area, in the order in which they were added. */
export interface SchoolRecords {
  list(area: AreaName): Promise<readonly SchoolRecord[]>
  find(area: AreaName, id: string): Promise<SchoolRecord | undefined>
  add(area: AreaName, content: Content): Promise<SchoolRecord>
  change(area: AreaName, id: string, content: Content): Promise<SchoolRecord | undefined>
  remove(area: AreaName, id: string): Promise<boolean>
}

/** The school in the database, so that replicas show one school and a restart forgets nothing. */
export function schoolRecords(database: Database, newId: () => string): SchoolRecords {
  const rows = database.selectFrom('school_record').select(['id', 'content'])
  const find = async (area: AreaName, id: string) => {
    const row = await rows.where('area', '=', area).where('id', '=', id).executeTakeFirst()
    return row && recordOf(row)
  }
  return errorsAs503<SchoolRecords>({
    async list(area) {
      const found = await rows.where('area', '=', area).orderBy('added_at').orderBy('id').execute()
      return found.map(recordOf)
    },
    find,
    async add(area, content) {
      const record = { id: newId(), ...content }
      await database
        .insertInto('school_record')
        .values(rowOf(area, record, new Date()))
        .execute()
      return record
    },
    async change(area, id, content) {
      const record = await find(area, id)
      if (record === undefined) return undefined
      const changed = { ...record, ...content, id }
      const { numUpdatedRows } = await database
        .updateTable('school_record')
        .set(membersOf(changed))
        .where('area', '=', area)
        .where('id', '=', id)
        .executeTakeFirst()
      return numUpdatedRows === 0n ? undefined : changed
    },
    async remove(area, id) {
      const { numDeletedRows } = await database
        .deleteFrom('school_record')
        .where('area', '=', area)
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  })
}

/** The row of a new record. */
export function rowOf(area: AreaName, record: SchoolRecord, addedAt: Date): SchoolRecordRow {
  return { area, id: record.id, ...membersOf(record), added_at: addedAt.toISOString() }
}

function membersOf({ id: _, ...members }: SchoolRecord): Pick<SchoolRecordRow, 'content' | 'published'> {
  return { content: JSON.stringify(members), published: members.published === true ? 1 : 0 }
}

function recordOf({ id, content }: Pick<SchoolRecordRow, 'id' | 'content'>): SchoolRecord {
  return { id, ...JSON.parse(content) }
}
