import type { AreaName } from '../oauth/scopes.ts'
import type { SchoolRecord } from './record.ts'
import { uniqueMember } from './schemas.ts'
import type { SchoolRecordRow } from './tables.ts'

/** The row of a new record. */
export function rowOf(area: AreaName, record: SchoolRecord, addedAt: Date): SchoolRecordRow {
  const { id } = record
  return { area, id, revision: 1, added_at: addedAt.toISOString(), ...membersOf(area, record) }
}

/** The columns that are derived from the members of a record. */
export function membersOf(area: AreaName, { id, ...members }: SchoolRecord) {
  const unique = members[uniqueMember(area) ?? '']
  return {
    content: JSON.stringify(members),
    published: members.published === true ? 1 : 0,
    unique_value: typeof unique === 'string' ? unique : null,
    words: textOf({ id, ...members }),
  }
}

export function recordOf({ id, content }: Pick<SchoolRecordRow, 'id' | 'content'>): SchoolRecord {
  return { id, ...JSON.parse(content) }
}

/** All words and numbers in a value, at any depth, in lower case. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join(' ')
  return typeof value === 'boolean' ? '' : String(value).toLowerCase()
}
