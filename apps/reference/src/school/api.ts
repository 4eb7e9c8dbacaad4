import type { HttpRequest, HttpResponse, Route } from '@grantkit/core'
import { z } from 'zod'
import type { Caller, SchoolGuard } from '../guard.ts'
import { headerOf, json, jsonError, methodNotAllowed, parseJson } from '../http.ts'
import { type AreaName, areas, scopeOf } from '../scopes.ts'
import { BOUNDS, type Content, isWithinBounds } from './content.ts'
import type { SchoolRecord, SchoolRecords } from './records.ts'

type Area = (typeof areas)[number]
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Action {
  readonly method: Method
  readonly access: 'read' | 'write'
  answer(school: SchoolRecords, area: Area, request: HttpRequest, caller: Caller): Promise<HttpResponse>
}

const COLLECTION: readonly Action[] = [
  { method: 'GET', access: 'read', answer: listRecords },
  { method: 'POST', access: 'write', answer: addRecord },
]
const ITEM: readonly Action[] = [
  { method: 'GET', access: 'read', answer: showRecord },
  { method: 'PATCH', access: 'write', answer: changeRecord },
  { method: 'DELETE', access: 'write', answer: removeRecord },
]

/** The API of the school: two routes per area, with the methods that its scopes allow. */
export function schoolRoutes(basePath: string, api: SchoolGuard, school: SchoolRecords): Route[] {
  return areas.flatMap((area) => {
    const offered = (actions: readonly Action[]) => actions.filter(({ access }) => area[access] !== undefined)
    const path = `${basePath}/api/${area.name}`
    const routeAt = (at: string, actions: readonly Action[]) =>
      schoolRoute(at, area, offered(actions), api, school)
    return [routeAt(path, COLLECTION), routeAt(`${path}/:id`, ITEM)]
  })
}

function schoolRoute(
  path: string,
  area: Area,
  actions: readonly Action[],
  api: SchoolGuard,
  school: SchoolRecords,
): Route {
  const methods = actions.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return {
    path,
    methods,
    async handle(request) {
      const method = request.method === 'HEAD' ? 'GET' : request.method
      const action = actions.find((candidate) => candidate.method === method)
      if (request.method === 'OPTIONS') return withCors(preflight(methods))
      if (action === undefined) return withCors(methodNotAllowed([...methods, 'OPTIONS']))
      const response = await guarded(api, area, action, request, school)
      return withCors(request.method === 'HEAD' ? { ...response, body: '' } : response)
    },
  }
}

/** The guard comes first: a caller who may not write does not learn what is wrong with the body. */
async function guarded(
  api: SchoolGuard,
  area: Area,
  { access, answer }: Action,
  request: HttpRequest,
  school: SchoolRecords,
): Promise<HttpResponse> {
  const caller = await api.access(request, scopeOf(area.name, access))
  if (caller.kind === 'refused') return caller.response
  // No challenge: this service serves clients as anonymous and never asks for a token.
  if (caller.kind === 'anonymous' && access === 'write') {
    const refusal = jsonError(
      403,
      'access_denied',
      `Writing ${area.title.toLowerCase()} needs an access token`,
    )
    return withMetadataLink(refusal, api.metadataUrl)
  }
  const response = await answer(school, area, request, caller)
  return caller.kind === 'anonymous' ? withMetadataLink(response, api.metadataUrl) : response
}

/** There is no challenge here, so this link tells clients where to get tokens (RFC 8631 4). */
function withMetadataLink(response: HttpResponse, metadataUrl: string): HttpResponse {
  return { ...response, headers: { ...response.headers, link: `<${metadataUrl}>; rel="service-meta"` } }
}

const BAD_PAGE = 'limit must be 1 to 100 and offset 0 to 1000000, each of them once at most'
const Page = z.object({ limit: oneNumber(1, 100, 50), offset: oneNumber(0, 1_000_000, 0) })

/** The values of a query parameter: one whole number, or none. */
function oneNumber(least: number, most: number, usual: number) {
  return z
    .array(z.string().regex(/^\d+$/))
    .max(1)
    .transform(([digits = usual]) => Number(digits))
    .pipe(z.number().min(least).max(most))
}

async function listRecords(
  school: SchoolRecords,
  area: Area,
  request: HttpRequest,
  caller: Caller,
): Promise<HttpResponse> {
  const query = new URLSearchParams(request.query)
  const page = Page.safeParse({ limit: query.getAll('limit'), offset: query.getAll('offset') })
  if (!page.success) return jsonError(400, 'invalid_request', BAD_PAGE)
  const visible = (await school.list(area.name)).filter((record) => isVisible(area, record, caller))
  const { limit, offset } = page.data
  return answerOf(caller, 200, { items: visible.slice(offset, offset + limit), total: visible.length })
}

async function showRecord(
  school: SchoolRecords,
  area: Area,
  request: HttpRequest,
  caller: Caller,
): Promise<HttpResponse> {
  const record = await school.find(area.name, idOf(request))
  if (record === undefined || !isVisible(area, record, caller)) return notFound(area.name)
  return answerOf(caller, 200, record)
}

async function addRecord(
  school: SchoolRecords,
  area: Area,
  request: HttpRequest,
  caller: Caller,
): Promise<HttpResponse> {
  const given = contentOf(request)
  if ('status' in given) return given
  if (!isWithinBounds(given.content)) return outOfBounds()
  const record = await school.add(area.name, given.content)
  return answerOf(caller, 201, record, { location: `${request.path}/${record.id}` })
}

async function changeRecord(
  school: SchoolRecords,
  area: Area,
  request: HttpRequest,
  caller: Caller,
): Promise<HttpResponse> {
  const given = contentOf(request)
  if ('status' in given) return given
  const id = idOf(request)
  // Together, so that no record grows past the bounds one change at a time.
  if (!isWithinBounds({ ...(await school.find(area.name, id)), ...given.content })) return outOfBounds()
  const record = await school.change(area.name, id, given.content)
  return record === undefined ? notFound(area.name) : answerOf(caller, 200, record)
}

async function removeRecord(school: SchoolRecords, area: Area, request: HttpRequest): Promise<HttpResponse> {
  if (!(await school.remove(area.name, idOf(request)))) return notFound(area.name)
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }
}

function isVisible(area: Area, record: SchoolRecord, caller: Caller): boolean {
  return caller.kind === 'authorized' || (area.catalogue === true && record.published === true)
}

/** A JSON object without an id, which the school chooses. */
function contentOf(request: HttpRequest): { content: Content } | HttpResponse {
  if (!/^application\/json\s*(;|$)/i.test(headerOf(request, 'content-type'))) {
    return jsonError(415, 'invalid_request', 'The body must be application/json')
  }
  const parsed = parseJson(request.body)
  if (!isObject(parsed)) return jsonError(400, 'invalid_request', 'The body must be a JSON object')
  const { id: _, ...content } = parsed
  return { content }
}

function isObject(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function outOfBounds(): HttpResponse {
  return jsonError(400, 'invalid_request', BOUNDS)
}

function idOf(request: HttpRequest): string {
  return request.path.slice(request.path.lastIndexOf('/') + 1)
}

function notFound(area: AreaName): HttpResponse {
  return jsonError(404, 'not_found', `There is no such item in ${area}`)
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

function preflight(methods: readonly string[]): HttpResponse {
  const headers = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '86400',
  }
  return { status: 204, headers, body: '' }
}

/** Any origin, without credentials: the API knows only tokens and no cookies. */
function withCors(response: HttpResponse): HttpResponse {
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Link, Location, Retry-After',
  }
  return { ...response, headers: { ...response.headers, ...headers } }
}
