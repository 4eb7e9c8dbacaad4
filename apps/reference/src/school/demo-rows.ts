import type { AreaName } from '../oauth/scopes.ts'
import { DEMO_SCHOOL } from './demo-data.ts'
import type { SchoolRecord } from './record.ts'
import { rowOf } from './rows.ts'
import type { SchoolRecordRow } from './tables.ts'

const FOUNDED = Date.UTC(2026, 0, 1)

/** The demo school as rows, in its order. */
export function demoRows(): SchoolRecordRow[] {
  return Object.entries<readonly SchoolRecord[]>(DEMO_SCHOOL).flatMap(([area, records]) =>
    records.map((record, index) => rowOf(area as AreaName, record, new Date(FOUNDED + index))),
  )
}
