import { createRoute, error, guardErrors, json, type z } from '@grantkit/server/routes'
import { scopeOf } from '../oauth/scopes.ts'
import type { Area } from './actions.ts'
import { BAD_LIST_QUERY } from './list-query.ts'
import { uniqueMember } from './schemas.ts'
import { changeExample, contentExample } from './school-examples.ts'
import { schoolSchema } from './school-schemas.ts'

/** The operations of an area. */

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } } as const
const PAGE = [
  {
    name: 'limit',
    in: 'query',
    description: 'How many at most',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  {
    name: 'offset',
    in: 'query',
    description: 'How many to pass over',
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
  },
  {
    name: 'cursor',
    in: 'query',
    description:
      'The next_cursor of the page before: no item is passed over or repeated, whatever is removed meanwhile',
    schema: { type: 'string' },
  },
  {
    name: 'published',
    in: 'query',
    description: 'Only the items that are published, or only those that are not',
    schema: { type: 'boolean' },
  },
] as const
const CHANGED = error('`precondition_failed`: the item is not the one that If-Match names')
const NOT_FOUND = error('There is no such item')

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the item as it was read: a change of another version is rejected with 412',
  schema: { type: 'string' },
} as const

type Access = 'read' | 'write'

export function listing(area: Area) {
  return createRoute({
    ...onCollection(area, 'read', 'List'),
    method: 'get',
    summary: `List ${inWords(area)}`,
    description: area.catalogue ? 'Without a token: what is published.' : 'Without a token: an empty list.',
    parameters: [...PAGE],
    responses: {
      200: json('The items', schoolSchema(area, 'List')),
      400: error(BAD_LIST_QUERY),
      ...guardResponses(area, 'read'),
    },
  })
}

export function adding(area: Area) {
  return createRoute({
    ...onCollection(area, 'write', 'Add'),
    method: 'post',
    summary: `Add an item to ${inWords(area)}`,
    request: body(schoolSchema(area, 'Content'), contentExample(area.name)),
    responses: { 201: item(area, 'The new item'), ...bodyErrors(area) },
  })
}

export function reading(area: Area) {
  return createRoute({
    ...onItem(area, 'read', 'Read'),
    method: 'get',
    summary: `Read an item of ${inWords(area)}`,
    parameters: [ID],
    responses: { 200: item(area, 'The item'), 404: NOT_FOUND, ...guardResponses(area, 'read') },
  })
}

export function changing(area: Area) {
  return createRoute({
    ...onItem(area, 'write', 'Change'),
    method: 'patch',
    summary: `Change an item of ${inWords(area)}`,
    parameters: [ID, IF_MATCH],
    request: body(schoolSchema(area, 'Change'), changeExample(area.name)),
    responses: { 200: item(area, 'The item'), 404: NOT_FOUND, 412: CHANGED, ...bodyErrors(area) },
  })
}

export function removing(area: Area) {
  return createRoute({
    ...onItem(area, 'write', 'Remove'),
    method: 'delete',
    summary: `Remove an item of ${inWords(area)}`,
    parameters: [ID, IF_MATCH],
    responses: {
      204: { description: 'It is gone' },
      404: NOT_FOUND,
      412: CHANGED,
      ...guardResponses(area, 'write'),
    },
  })
}

/** Anonymous requests are always allowed: a read shows the public view, a write is rejected. */
function onCollection({ name }: Area, access: Access, verb: string) {
  const operationId = `${verb.toLowerCase()}_${name}`
  const security = [{ oauth2: [scopeOf(name, access)] }, {}]
  return { path: `/api/${name}`, operationId, tags: ['School'], security }
}

function onItem(area: Area, access: Access, verb: string) {
  return { ...onCollection(area, access, verb), path: `/api/${area.name}/{id}` }
}

function guardResponses({ name }: Area, access: Access) {
  return guardErrors(
    `the token lacks ${scopeOf(name, access)}${access === 'write' ? ', or there is none' : ''}`,
  )
}

function body(schema: z.ZodType, example: object) {
  return { body: { required: true, content: { 'application/json': { schema, example } } } }
}

function bodyErrors(area: Area) {
  const unique = uniqueMember(area.name)
  return {
    400: error('The body is not a JSON object, or its members are not right; all faults are named at once'),
    ...(unique !== undefined && { 409: error(`Another item has this ${unique}`) }),
    413: error('The body is larger than 64 KiB'),
    415: error('The body must be application/json'),
    ...guardResponses(area, 'write'),
  }
}

function item(area: Area, description: string) {
  const headers = { ETag: { description: 'For If-Match', schema: { type: 'string' } as const } }
  return { ...json(description, schoolSchema(area, 'Item')), headers }
}

function inWords({ title }: Area): string {
  return title.toLowerCase()
}
