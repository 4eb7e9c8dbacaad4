import { type Database, errorsAs503, isUniqueViolation, lookup } from '@grantkit/server/database'
import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely'
import type { AreaName } from '../oauth/scopes.ts'
import type { Content } from './content.ts'
import type { Place } from './cursor.ts'
import { reference } from './members.ts'
import type { Revised, SchoolRecord } from './record.ts'
import { membersOf, recordOf, rowOf } from './rows.ts'
import type { SchoolTables } from './tables.ts'

/** A filter on the records of an area, and the part of the list. An absent member does not filter. */
export interface Selection {
  readonly published?: boolean | undefined
  /** In lower case; a record must contain all of them in its members. */
  readonly words?: readonly string[] | undefined
  readonly after?: Place | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

export interface Page {
  readonly items: readonly SchoolRecord[]
  /** The total number over all pages. */
  readonly total: number
  /** The position of the last item, if more follow. */
  readonly last?: Place | undefined
}

/** The records of each area, ordered by the time of adding. */
export interface SchoolRecords {
  list(area: AreaName, selection: Selection): Promise<Page>
  find(area: AreaName, id: string): Promise<Revised | undefined>
  /** `taken`: another record of the area has the same unique value. */
  add(area: AreaName, content: Content): Promise<Revised | 'taken'>
  /** `changed`: the record has changed since it was read. Nothing is written. */
  replace(area: AreaName, seen: Revised, content: Content): Promise<Revised | 'taken' | 'changed'>
  /** Whether the record was unchanged since it was read. */
  remove(area: AreaName, seen: Revised): Promise<boolean>
}

/** The school in the database, so that replicas share it and it survives a restart. */
export function schoolRecords(tables: Database, newId: () => string): SchoolRecords {
  const database: SchoolDatabase = tables.withTables<Pick<SchoolTables, 'school_record'>>()
  const recordWithId = lookup(
    tables,
    database
      .selectFrom('school_record')
      .select(['id', 'content', 'revision'])
      .where('area', '=', 'courses')
      .where('id', '=', ''),
  )
  let latest = 0
  /** A process never adds two records in the same millisecond, because lists are ordered by the time of adding. */
  const nextMoment = () => {
    latest = Math.max(Date.now(), latest + 1)
    return new Date(latest)
  }
  return errorsAs503<SchoolRecords>({
    list: (area, selection) => listRecords(database, area, selection),
    async find(area, id) {
      // Any other text is not an id, and may be one that a database rejects.
      if (!reference.safeParse(id).success) return undefined
      const row = await recordWithId(area, id)
      return row && { record: recordOf(row), revision: row.revision }
    },
    add(area, content) {
      const record = { id: newId(), ...content }
      const row = rowOf(area, record, nextMoment())
      return unlessTaken(async () => {
        await database.insertInto('school_record').values(row).execute()
        return { record, revision: row.revision }
      })
    },
    replace(area, { record: { id }, revision: seen }, content) {
      const record = { id, ...content }
      const revision = seen + 1
      return unlessTaken(async () => {
        const { numUpdatedRows } = await database
          .updateTable('school_record')
          .set({ ...membersOf(area, record), revision })
          .where((row) => isSeen(row, area, id, seen))
          .executeTakeFirstOrThrow()
        return numUpdatedRows === 0n ? 'changed' : { record, revision }
      })
    },
    async remove(area, { record: { id }, revision }) {
      const { numDeletedRows } = await database
        .deleteFrom('school_record')
        .where((row) => isSeen(row, area, id, revision))
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  })
}

type SchoolDatabase = Kysely<SchoolTables>
type Row = ExpressionBuilder<SchoolTables, 'school_record'>
type Condition = ExpressionWrapper<SchoolTables, 'school_record', SqlBool>

function isSeen(row: Row, area: AreaName, id: string, revision: number): Condition {
  return row.and({ area, id, revision })
}

async function listRecords(
  database: SchoolDatabase,
  area: AreaName,
  { published, words = [], after, offset = 0, limit = ALL }: Selection,
): Promise<Page> {
  const matching = (row: Row) =>
    row.and([
      row('area', '=', area),
      ...(published === undefined ? [] : [row('published', '=', published ? 1 : 0)]),
      ...words.map(hasWord),
    ])
  const following = (row: Row) =>
    after === undefined
      ? row.and([])
      : row.or([
          row('added_at', '>', after.addedAt),
          row.and([row('added_at', '=', after.addedAt), row('id', '>', after.id)]),
        ])
  const rows = await database
    .selectFrom('school_record')
    .select(['id', 'content', 'added_at'])
    .where(matching)
    .where(following)
    .orderBy('added_at')
    .orderBy('id')
    .limit(limit + 1)
    .offset(offset)
    .execute()
  const { total } = await database
    .selectFrom('school_record')
    .select(({ fn }) => fn.countAll().as('total'))
    .where(matching)
    .executeTakeFirstOrThrow()
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(recordOf),
    total: Number(total),
    last: last && { addedAt: last.added_at, id: last.id },
  }
}

function hasWord(word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&').replaceAll('\0', NOWHERE)}%`
  return sql<SqlBool>`words like ${pattern} escape '\\'`
}

/** Replaces NUL, which Postgres accepts in no text, by a character that no record contains. */
const NOWHERE = '\u0001'

/** More than a school has, and less than the maximum LIMIT of both databases. */
const ALL = 1_000_000

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | 'taken'> {
  return write().catch((error: unknown) => {
    if (isUniqueViolation(error)) return 'taken'
    throw error
  })
}
