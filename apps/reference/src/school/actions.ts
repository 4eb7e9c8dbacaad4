import { jsonError, parseJson, type WithBody } from '@grantkit/server/routes'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Caller } from '../oauth/guard.ts'
import type { areas } from '../oauth/scopes.ts'
import { type Content, merged, readContent } from './content.ts'
import { cursorOf } from './cursor.ts'
import { readListQuery } from './list-query.ts'
import { etagOf, isExpected } from './preconditions.ts'
import type { Revised } from './record.ts'
import type { SchoolRecords } from './records.ts'
import { changeOfArea, schemaOfArea, uniqueMember } from './schemas.ts'

export type Area = (typeof areas)[number]

/** A handler for an authenticated or anonymous caller. */
export interface Guarded {
  Variables: WithBody['Variables'] & { auth: Caller }
}

/** A request after the guard. */
interface Call {
  readonly c: Context<Guarded>
  readonly school: SchoolRecords
  readonly area: Area
}

export type Answer = (call: Call) => Promise<Response>

export const listRecords: Answer = async ({ c, school, area }) => {
  const query = readListQuery(c.req.queries())
  if ('fault' in query) return invalid(c, query.fault)
  const all = seesAll(c)
  const none = !all && (!area.catalogue || query.published === false)
  if (none) return answerOf(c, 200, { items: [], total: 0 })
  const published = all ? query.published : true
  const { items, total, last } = await school.list(area.name, { ...query, published })
  return answerOf(c, 200, { items, total, ...(last && { next_cursor: cursorOf(last) }) })
}

export const showRecord: Answer = async ({ c, school, area }) => {
  const found = await school.find(area.name, idOf(c))
  if (found === undefined || !isVisible(area, found, c)) return notFound(c, area)
  return recordAnswer(c, 200, found)
}

export const addRecord: Answer = async ({ c, school, area }) => {
  const body = bodyOf(c)
  if ('error' in body) return body.error
  const read = readContent(schemaOfArea(area.name), body.members)
  if ('faults' in read) return invalid(c, read.faults)
  const added = await school.add(area.name, read.content)
  if (added === 'taken') return taken(c, area)
  const { pathname } = new URL(c.req.url)
  return recordAnswer(c, 201, added, { location: `${pathname}/${added.record.id}` })
}

export const changeRecord: Answer = async (call) => {
  const { c, school, area } = call
  const body = bodyOf(c)
  if ('error' in body) return body.error
  const change = readContent(changeOfArea(area.name), body.members)
  if ('faults' in change) return invalid(c, change.faults)
  const seen = await school.find(area.name, idOf(c))
  if (seen === undefined) return notFound(c, area)
  if (!isExpected(c.req.header('if-match'), seen)) return changedMeanwhile(c)
  const { id: _, ...members } = seen.record
  const read = readContent(schemaOfArea(area.name), merged(members, change.content))
  if ('faults' in read) return invalid(c, read.faults)
  const changed = await school.replace(area.name, seen, read.content)
  if (changed === 'taken') return taken(c, area)
  // Another change came first: this one is validated again with the current record.
  return changed === 'changed' ? changeRecord(call) : recordAnswer(c, 200, changed)
}

export const removeRecord: Answer = async (call) => {
  const { c, school, area } = call
  const seen = await school.find(area.name, idOf(c))
  if (seen === undefined) return notFound(c, area)
  if (!isExpected(c.req.header('if-match'), seen)) return changedMeanwhile(c)
  if (!(await school.remove(area.name, seen))) return removeRecord(call)
  return c.body(null, 204, { 'cache-control': 'no-store' })
}

function seesAll(c: Context<Guarded>): boolean {
  return c.var.auth.kind === 'authorized'
}

function isVisible(area: Area, { record }: Revised, c: Context<Guarded>): boolean {
  return seesAll(c) || (area.catalogue === true && record.published === true)
}

/** A JSON object. Its id is ignored, because the school assigns it. */
function bodyOf(c: Context<Guarded>): { members: Content } | { error: Response } {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    return { error: jsonError(c, 415, 'invalid_request', 'The body must be application/json') }
  const parsed = parseJson(c.var.body)
  if (!isObject(parsed)) return { error: invalid(c, 'The body must be a JSON object') }
  const { id: _, ...members } = parsed
  return { members }
}

function isObject(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function idOf(c: Context<Guarded>): string {
  return c.req.param('id') ?? ''
}

function invalid(c: Context, description: string): Response {
  return jsonError(c, 400, 'invalid_request', description)
}

function notFound(c: Context, { name }: Area): Response {
  return jsonError(c, 404, 'not_found', `There is no such item in ${name}`)
}

function taken(c: Context, { name }: Area): Response {
  return jsonError(c, 409, 'conflict', `Another item in ${name} has this ${uniqueMember(name)}`)
}

function changedMeanwhile(c: Context): Response {
  return jsonError(c, 412, 'precondition_failed', 'The item has changed since it was read; read it again')
}

function recordAnswer(
  c: Context<Guarded>,
  status: ContentfulStatusCode,
  revised: Revised,
  headers: Record<string, string> = {},
): Response {
  return answerOf(c, status, revised.record, { etag: etagOf(revised), ...headers })
}

/** A response to a token is private; caches may share the public view for a minute. */
function answerOf(
  c: Context<Guarded>,
  status: ContentfulStatusCode,
  body: object,
  headers: Record<string, string> = {},
): Response {
  const cacheControl = seesAll(c) ? 'no-store' : 'public, max-age=60'
  return c.json(body, status, { 'cache-control': cacheControl, vary: 'Authorization', ...headers })
}
