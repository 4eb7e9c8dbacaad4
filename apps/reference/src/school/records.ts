import type { AreaName } from '../scopes.ts'
import type { Content } from './content.ts'

/** A record of the school. Its other members depend on its area. */
export interface SchoolRecord {
  readonly id: string
  /** Whether everybody may see it, if its area is a catalogue. */
  readonly published?: boolean
  readonly [member: string]: unknown
}

/** The current records of each area. */
export interface SchoolRecords {
  list(area: AreaName): readonly SchoolRecord[]
  find(area: AreaName, id: string): SchoolRecord | undefined
  add(area: AreaName, content: Content): SchoolRecord
  change(area: AreaName, id: string, content: Content): SchoolRecord | undefined
  remove(area: AreaName, id: string): boolean
}

/** The school in the memory of one process, with these initial records. */
export function schoolInMemory(
  initial: Partial<Record<AreaName, readonly SchoolRecord[]>>,
  newId: () => string,
): SchoolRecords {
  const areas = new Map(
    Object.entries(initial).map(([area, records]) => [
      area,
      new Map(records.map((record) => [record.id, record])),
    ]),
  )
  const recordsOf = (area: AreaName) => {
    const records = areas.get(area) ?? new Map<string, SchoolRecord>()
    areas.set(area, records)
    return records
  }
  const put = (area: AreaName, record: SchoolRecord) => {
    recordsOf(area).set(record.id, record)
    return record
  }
  return {
    list: (area) => [...recordsOf(area).values()],
    find: (area, id) => recordsOf(area).get(id),
    add: (area, content) => put(area, { ...content, id: newId() }),
    change(area, id, content) {
      const record = recordsOf(area).get(id)
      return record && put(area, { ...record, ...content, id })
    },
    remove: (area, id) => recordsOf(area).delete(id),
  }
}
