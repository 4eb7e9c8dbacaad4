import { BOUNDS } from '../school/content.ts'
import { areas, scopeOf } from '../scopes.ts'
import {
  challengeAnswer,
  errorAnswer,
  type Json,
  jsonAnswer,
  jsonBody,
  type Operation,
  ref,
  UNAVAILABLE,
} from './operation.ts'

type Area = (typeof areas)[number]

const ID: Json = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const PAGE: readonly Json[] = [
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
]
const BAD_TOKEN = challengeAnswer(
  'The token is not valid',
  'invalid_token',
  'The access token is unknown, expired or revoked',
)
const NOT_FOUND = errorAnswer('There is no such item', 'not_found', 'There is no such item')

const CONTENT: Json = {
  type: 'object',
  properties: { title: { type: 'string' } },
  additionalProperties: true,
  description: `Any members but id, which the school chooses. ${BOUNDS}.`,
}

/** The operations of every area that its scopes allow. */
export const SCHOOL_OPERATIONS: readonly Operation[] = areas.flatMap((area) => [
  ...(area.read === undefined ? [] : [listing(area), reading(area)]),
  ...(area.write === undefined ? [] : [adding(area), changing(area), removing(area)]),
])

function listing(area: Area): Operation {
  return {
    ...common(area, 'read', 'List'),
    path: `/api/${area.name}`,
    method: 'get',
    summary: `List ${inWords(area)}`,
    description: area.catalogue ? 'Without a token: what is published.' : 'Without a token: an empty list.',
    parameters: PAGE,
    responses: {
      '200': jsonAnswer('The items', ref('ItemList')),
      '400': errorAnswer(
        'A bad limit or offset',
        'invalid_request',
        'limit must be 1 to 100 and offset 0 to 1000000, each of them once at most',
      ),
      ...guardAnswers(area, 'read'),
    },
  }
}

function reading(area: Area): Operation {
  return {
    ...common(area, 'read', 'Read'),
    path: `/api/${area.name}/{id}`,
    method: 'get',
    summary: `Read an item of ${inWords(area)}`,
    parameters: [ID],
    responses: {
      '200': jsonAnswer('The item', ref('Item')),
      '404': NOT_FOUND,
      ...guardAnswers(area, 'read'),
    },
  }
}

function adding(area: Area): Operation {
  return {
    ...common(area, 'write', 'Add'),
    path: `/api/${area.name}`,
    method: 'post',
    summary: `Add an item to ${inWords(area)}`,
    requestBody: jsonBody(CONTENT, { title: 'A title' }),
    responses: { '201': jsonAnswer('The new item', ref('Item')), ...bodyAnswers(area) },
  }
}

function changing(area: Area): Operation {
  return {
    ...common(area, 'write', 'Change'),
    path: `/api/${area.name}/{id}`,
    method: 'patch',
    summary: `Change an item of ${inWords(area)}`,
    parameters: [ID],
    requestBody: jsonBody(CONTENT, { title: 'Another title' }),
    responses: { '200': jsonAnswer('The item', ref('Item')), '404': NOT_FOUND, ...bodyAnswers(area) },
  }
}

function removing(area: Area): Operation {
  return {
    ...common(area, 'write', 'Remove'),
    path: `/api/${area.name}/{id}`,
    method: 'delete',
    summary: `Remove an item of ${inWords(area)}`,
    parameters: [ID],
    responses: { '204': { description: 'It is gone' }, '404': NOT_FOUND, ...guardAnswers(area, 'write') },
  }
}

/** Anonymous requests are always allowed: a read shows the public view, a write is refused. */
function common(area: Area, access: 'read' | 'write', verb: string) {
  const operationId = `${verb.toLowerCase()}_${area.name}`
  return { operationId, tag: 'School', security: [{ oauth2: [scopeOf(area.name, access)] }, {}] } as const
}

function guardAnswers(area: Area, access: 'read' | 'write') {
  const lacking = `The token lacks ${scopeOf(area.name, access)}${access === 'write' ? ', or there is none' : ''}`
  const refused = challengeAnswer(
    lacking,
    'insufficient_scope',
    'The access token lacks a scope that this needs',
  )
  return { '401': BAD_TOKEN, '403': refused, '503': UNAVAILABLE }
}

function bodyAnswers(area: Area) {
  return {
    '400': errorAnswer(
      'The body is not a JSON object, or out of bounds',
      'invalid_request',
      'The body must be a JSON object',
    ),
    '413': errorAnswer('The body is too large', 'invalid_request', 'The body is larger than 64 KiB'),
    '415': errorAnswer('Another media type', 'invalid_request', 'The body must be application/json'),
    ...guardAnswers(area, 'write'),
  }
}

function inWords({ title }: Area): string {
  return title.toLowerCase()
}
