import type { HttpRequest, HttpResponse, Route } from '@grantkit/core'
import type { SchoolGuard } from '../guard.ts'
import { jsonError, methodNotAllowed } from '../http.ts'
import { areas, scopeOf } from '../scopes.ts'
import {
  type Answer,
  type Area,
  addRecord,
  changeRecord,
  listRecords,
  removeRecord,
  showRecord,
} from './actions.ts'
import type { SchoolRecords } from './records.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Action {
  readonly method: Method
  readonly access: 'read' | 'write'
  readonly answer: Answer
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
  const response = await answer({ school, area, request, caller })
  return caller.kind === 'anonymous' ? withMetadataLink(response, api.metadataUrl) : response
}

/** There is no challenge here, so this link tells clients where to get tokens (RFC 8631 4). */
function withMetadataLink(response: HttpResponse, metadataUrl: string): HttpResponse {
  return { ...response, headers: { ...response.headers, link: `<${metadataUrl}>; rel="service-meta"` } }
}

function preflight(methods: readonly string[]): HttpResponse {
  const headers = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type, if-match',
    'access-control-max-age': '86400',
  }
  return { status: 204, headers, body: '' }
}

/** Any origin, without credentials: the API knows only tokens and no cookies. */
function withCors(response: HttpResponse): HttpResponse {
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Link, Location, ETag, Retry-After',
  }
  return { ...response, headers: { ...response.headers, ...headers } }
}
