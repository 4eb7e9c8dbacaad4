import { z } from 'zod'
import { areas } from '../oauth/scopes.ts'
import { type Json, ref, schemaOf } from '../openapi/operation.ts'
import { changeOfArea, recordOfArea, schemaOfArea, uniqueMember } from './schemas.ts'

type Area = (typeof areas)[number]

/** Members that a request may contain and that are ignored, so that an item can be sent back as it was read. */
const IGNORED_ID = { id: z.unknown().optional().describe('Ignored: the school chooses it') }

/** The name of a schema of an area, such as `MembershipPlansItem`. */
export function schemaName({ name }: Area, kind: 'Item' | 'List' | 'Content' | 'Change'): string {
  const words = name.split('_').map((word) => word[0]?.toUpperCase() + word.slice(1))
  return [...words, kind].join('')
}

/** The schemas of all areas for reading, listing, adding and changing, as far as their scopes allow. */
export const SCHOOL_SCHEMAS: { readonly [name: string]: Json } = Object.fromEntries(
  areas.flatMap((area) => [
    [schemaName(area, 'Item'), schemaOf(recordOfArea(area.name), 'output')],
    ...(area.read === undefined ? [] : [[schemaName(area, 'List'), listOf(area)]]),
    ...(area.write === undefined ? [] : writing(area)),
  ]),
)

function listOf(area: Area): Json {
  return {
    type: 'object',
    required: ['items', 'total'],
    properties: {
      items: { type: 'array', items: ref(schemaName(area, 'Item')) },
      total: { type: 'integer', description: 'How many there are in all' },
      next_cursor: { type: 'string', description: 'Where the next page begins; absent on the last' },
    },
  }
}

function writing(area: Area): [string, Json][] {
  const { name } = area
  const unique = uniqueMember(name)
  const content = schemaOfArea(name).extend(IGNORED_ID)
  const change = changeOfArea(name).extend(IGNORED_ID)
  return [
    [
      schemaName(area, 'Content'),
      schemaOf(unique === undefined ? content : content.describe(`No two have the same ${unique}`)),
    ],
    [schemaName(area, 'Change'), schemaOf(change.describe('null takes a member away'))],
  ]
}
