import type { AreaName } from '../oauth/scopes.ts'
import { DEMO_SCHOOL } from './demo-data.ts'

type Members = { readonly [member: string]: unknown }

/** For areas whose demo item does not exist, or has a unique value. */
const EXAMPLES: Partial<Record<AreaName, Members>> = {
  coupons: { code: 'SPRING15', percent: 15, until: '2027-05-31' },
  storage: { name: 'syllabus.txt', media_type: 'text/plain', text: 'Week 1: flour, water, salt' },
}

/** The members of an item in a request that adds it. */
export function contentExample(area: AreaName): Members {
  const { id: _, ...members } = DEMO_SCHOOL[area]?.[0] ?? { id: '', title: 'A title' }
  return EXAMPLES[area] ?? (members as Members)
}

/** One member in a request that changes it. */
export function changeExample(area: AreaName): Members {
  return Object.fromEntries(Object.entries(contentExample(area)).slice(0, 1))
}
