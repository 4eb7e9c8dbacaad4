import { z } from '@grantkit/server/routes'
import { areas } from '../oauth/scopes.ts'
import { changeOfArea, recordOfArea, schemaOfArea, uniqueMember } from './schemas.ts'

type Area = (typeof areas)[number]
type Kind = 'Item' | 'List' | 'Content' | 'Change'

/** A member that a request may contain and that is ignored, so that an item can be sent back as it was read. */
const IGNORED_ID = { id: z.string().optional().describe('Ignored: the school chooses it') }

const SCHEMAS = new Map(areas.map((area) => [area.name, schemasOf(area)]))

/** A schema of the document, such as `MembershipPlansItem`. */
export function schoolSchema({ name }: Area, kind: Kind): z.ZodType {
  return SCHEMAS.get(name)?.[kind] ?? z.never()
}

function schemasOf({ name }: Area): Record<Kind, z.ZodType> {
  const words = name.split('_').map((word) => word[0]?.toUpperCase() + word.slice(1))
  const unique = uniqueMember(name)
  const content = schemaOfArea(name).extend(IGNORED_ID)
  const change = changeOfArea(name).extend(IGNORED_ID)
  const title = words.join('')
  const item = recordOfArea(name).openapi(`${title}Item`)
  return {
    Item: item,
    List: listOf(item).openapi(`${title}List`),
    Content: (unique === undefined ? content : content.describe(`No two have the same ${unique}`)).openapi(
      `${title}Content`,
    ),
    Change: change.describe('null takes a member away').openapi(`${title}Change`),
  }
}

function listOf(item: z.ZodType) {
  return z.object({
    items: z.array(item),
    total: z.int().describe('How many there are in all'),
    next_cursor: z.string().optional().describe('Where the next page begins; absent on the last'),
  })
}
