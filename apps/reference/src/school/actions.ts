import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Caller } from '../guard.ts'
import { headerOf, json, jsonError, parseJson } from '../http.ts'
import type { areas } from '../scopes.ts'
import { type Content, merged, readContent } from './content.ts'
import { cursorOf } from './cursor.ts'
import { readListQuery } from './list-query.ts'
import { etagOf, isExpected } from './preconditions.ts'
import type { Revised } from './record.ts'
import type { SchoolRecords } from './records.ts'
import { changeOfArea, schemaOfArea, uniqueMember } from './schemas.ts'

export type Area = (typeof areas)[number]

/** A request that the guard let through. */
interface Call {
  readonly school: SchoolRecords
  readonly area: Area
  readonly request: HttpRequest
  readonly caller: Caller
}

export type Answer = (call: Call) => Promise<HttpResponse>

export const listRecords: Answer = async ({ school, area, request, caller }) => {
  const query = readListQuery(request.query)
  if ('fault' in query) return invalid(query.fault)
  if (!seesAll(caller) && !area.catalogue) return answerOf(caller, 200, { items: [], total: 0 })
  if (!seesAll(caller) && query.published === false) return answerOf(caller, 200, { items: [], total: 0 })
  const published = seesAll(caller) ? query.published : true
  const { items, total, last } = await school.list(area.name, { ...query, published })
  return answerOf(caller, 200, { items, total, ...(last && { next_cursor: cursorOf(last) }) })
}

export const showRecord: Answer = async ({ school, area, request, caller }) => {
  const found = await school.find(area.name, idOf(request))
  if (found === undefined || !isVisible(area, found, caller)) return notFound(area)
  return recordAnswer(caller, 200, found)
}

export const addRecord: Answer = async ({ school, area, request, caller }) => {
  const given = bodyOf(request)
  if ('status' in given) return given
  const read = readContent(schemaOfArea(area.name), given.members)
  if ('faults' in read) return invalid(read.faults)
  const added = await school.add(area.name, read.content)
  if (added === 'taken') return taken(area)
  return recordAnswer(caller, 201, added, { location: `${request.path}/${added.record.id}` })
}

export const changeRecord: Answer = async (call) => {
  const { school, area, request, caller } = call
  const given = bodyOf(request)
  if ('status' in given) return given
  const change = readContent(changeOfArea(area.name), given.members)
  if ('faults' in change) return invalid(change.faults)
  const seen = await school.find(area.name, idOf(request))
  if (seen === undefined) return notFound(area)
  if (!isExpected(request, seen)) return changedMeanwhile()
  const { id: _, ...members } = seen.record
  const read = readContent(schemaOfArea(area.name), merged(members, change.content))
  if ('faults' in read) return invalid(read.faults)
  const changed = await school.replace(area.name, seen, read.content)
  if (changed === 'taken') return taken(area)
  // Another change came first: this one is judged again, by what the record is now.
  return changed === 'changed' ? changeRecord(call) : recordAnswer(caller, 200, changed)
}

export const removeRecord: Answer = async (call) => {
  const { school, area, request } = call
  const seen = await school.find(area.name, idOf(request))
  if (seen === undefined) return notFound(area)
  if (!isExpected(request, seen)) return changedMeanwhile()
  if (!(await school.remove(area.name, seen))) return removeRecord(call)
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }
}

function seesAll(caller: Caller): boolean {
  return caller.kind === 'authorized'
}

function isVisible(area: Area, { record }: Revised, caller: Caller): boolean {
  return seesAll(caller) || (area.catalogue === true && record.published === true)
}

/** A JSON object without an id, which the school chooses. */
function bodyOf(request: HttpRequest): { members: Content } | HttpResponse {
  if (!/^application\/json\s*(;|$)/i.test(headerOf(request, 'content-type'))) {
    return jsonError(415, 'invalid_request', 'The body must be application/json')
  }
  const parsed = parseJson(request.body)
  if (!isObject(parsed)) return invalid('The body must be a JSON object')
  const { id: _, ...members } = parsed
  return { members }
}

function isObject(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function idOf(request: HttpRequest): string {
  return request.path.slice(request.path.lastIndexOf('/') + 1)
}

function invalid(description: string): HttpResponse {
  return jsonError(400, 'invalid_request', description)
}

function notFound({ name }: Area): HttpResponse {
  return jsonError(404, 'not_found', `There is no such item in ${name}`)
}

function taken({ name }: Area): HttpResponse {
  return jsonError(409, 'conflict', `Another item in ${name} has this ${uniqueMember(name)}`)
}

function changedMeanwhile(): HttpResponse {
  return jsonError(412, 'precondition_failed', 'The item has changed since it was read; read it again')
}

function recordAnswer(
  caller: Caller,
  status: number,
  revised: Revised,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return answerOf(caller, status, revised.record, { etag: etagOf(revised), ...headers })
}

/** An answer to a token is private; caches may share the public view for a minute. */
function answerOf(
  caller: Caller,
  status: number,
  body: unknown,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  const cacheControl = caller.kind === 'anonymous' ? 'public, max-age=60' : 'no-store'
  return json(status, body, { 'cache-control': cacheControl, vary: 'Authorization', ...headers })
}
