import type { AreaName } from '../oauth/scopes.ts'
import type { Json } from '../openapi/operation.ts'
import { DEMO_SCHOOL } from './demo-data.ts'

type Members = { readonly [member: string]: Json }

/** Where the demo school has no item, or one that no other may equal. */
const EXAMPLES: Partial<Record<AreaName, Members>> = {
  coupons: { code: 'SPRING15', percent: 15, until: '2027-05-31' },
  storage: { name: 'syllabus.txt', media_type: 'text/plain', text: 'Week 1: flour, water, salt' },
}

/** The members of an item, as they are sent to add it. */
export function contentExample(area: AreaName): Members {
  const { id: _, ...members } = DEMO_SCHOOL[area]?.[0] ?? { id: '', title: 'A title' }
  return EXAMPLES[area] ?? (members as Members)
}

/** One member, to change it. */
export function changeExample(area: AreaName): Members {
  return Object.fromEntries(Object.entries(contentExample(area)).slice(0, 1))
}
