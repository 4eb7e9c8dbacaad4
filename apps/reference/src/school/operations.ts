import { type Description, errorAnswer, guardErrors, jsonAnswer, jsonBody } from '@grantkit/server/routes'
import { scopeOf } from '../oauth/scopes.ts'
import type { Area } from './actions.ts'
import { BAD_LIST_QUERY } from './list-query.ts'
import { uniqueMember } from './schemas.ts'
import { changeExample, contentExample } from './school-examples.ts'
import { schoolSchema } from './school-schemas.ts'

/** The OpenAPI operations of an area. */

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
const CHANGED = errorAnswer(
  'The item is not the one that If-Match names',
  'precondition_failed',
  'The item has changed since it was read; read it again',
)
const NOT_FOUND = errorAnswer('There is no such item', 'not_found', 'There is no such item')

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the item as it was read: a change of another version is rejected with 412',
  schema: { type: 'string' },
} as const

export function listing(area: Area): Description {
  return {
    ...common(area, 'read', 'List'),
    summary: `List ${inWords(area)}`,
    description: area.catalogue ? 'Without a token: what is published.' : 'Without a token: an empty list.',
    parameters: [...PAGE],
    responses: {
      200: jsonAnswer('The items', schoolSchema(area, 'List')),
      400: errorAnswer('A bad parameter', 'invalid_request', BAD_LIST_QUERY),
      ...guardAnswers(area, 'read'),
    },
  }
}

export function reading(area: Area): Description {
  return {
    ...common(area, 'read', 'Read'),
    summary: `Read an item of ${inWords(area)}`,
    parameters: [ID],
    responses: {
      200: itemAnswer(area, 'The item'),
      404: NOT_FOUND,
      ...guardAnswers(area, 'read'),
    },
  }
}

export function adding(area: Area): Description {
  return {
    ...common(area, 'write', 'Add'),
    summary: `Add an item to ${inWords(area)}`,
    request: { body: jsonBody(schoolSchema(area, 'Content'), contentExample(area.name)) },
    responses: { 201: itemAnswer(area, 'The new item'), ...bodyAnswers(area) },
  }
}

export function changing(area: Area): Description {
  return {
    ...common(area, 'write', 'Change'),
    summary: `Change an item of ${inWords(area)}`,
    parameters: [ID, IF_MATCH],
    request: { body: jsonBody(schoolSchema(area, 'Change'), changeExample(area.name)) },
    responses: {
      200: itemAnswer(area, 'The item'),
      404: NOT_FOUND,
      412: CHANGED,
      ...bodyAnswers(area),
    },
  }
}

export function removing(area: Area): Description {
  return {
    ...common(area, 'write', 'Remove'),
    summary: `Remove an item of ${inWords(area)}`,
    parameters: [ID, IF_MATCH],
    responses: {
      204: { description: 'It is gone' },
      404: NOT_FOUND,
      412: CHANGED,
      ...guardAnswers(area, 'write'),
    },
  }
}

/** Anonymous requests are always allowed: a read shows the public view, a write is rejected. */
function common(area: Area, access: 'read' | 'write', verb: string) {
  const operationId = `${verb.toLowerCase()}_${area.name}`
  const security = [{ oauth2: [scopeOf(area.name, access)] }, {}]
  return { operationId, tags: ['School'], security }
}

function guardAnswers(area: Area, access: 'read' | 'write') {
  return guardErrors(
    `The token lacks ${scopeOf(area.name, access)}${access === 'write' ? ', or there is none' : ''}`,
  )
}

function bodyAnswers(area: Area) {
  const unique = uniqueMember(area.name)
  const taken = { 409: errorAnswer('Another item has it', 'conflict', `Another item has this ${unique}`) }
  return {
    400: errorAnswer(
      'The body is not a JSON object, or its members are not right; all faults are named at once',
      'invalid_request',
      'title is missing; price.amount Invalid input: expected number, received string',
    ),
    ...(unique === undefined ? {} : taken),
    413: errorAnswer('The body is too large', 'invalid_request', 'The body is larger than 64 KiB'),
    415: errorAnswer('Another media type', 'invalid_request', 'The body must be application/json'),
    ...guardAnswers(area, 'write'),
  }
}

function itemAnswer(area: Area, description: string) {
  const headers = { ETag: { description: 'For If-Match', schema: { type: 'string' } as const } }
  return { ...jsonAnswer(description, schoolSchema(area, 'Item')), headers }
}

function inWords({ title }: Area): string {
  return title.toLowerCase()
}
