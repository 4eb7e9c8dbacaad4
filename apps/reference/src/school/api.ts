import { protect } from '@grantkit/adapter-hono'
import { type Description, describe, jsonError, prefetch } from '@grantkit/server/routes'
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { SchoolGuard } from '../oauth/guard.ts'
import { areas, scopeOf } from '../oauth/scopes.ts'
import {
  type Answer,
  type Area,
  addRecord,
  changeRecord,
  type Guarded,
  listRecords,
  removeRecord,
  showRecord,
} from './actions.ts'
import { adding, changing, listing, reading, removing } from './operations.ts'
import type { SchoolRecords } from './records.ts'

type Access = 'read' | 'write'

interface Action {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly access: Access
  readonly described: (area: Area) => Description
  readonly answer: Answer
}

const COLLECTION: readonly Action[] = [
  { method: 'GET', access: 'read', described: listing, answer: listRecords },
  { method: 'POST', access: 'write', described: adding, answer: addRecord },
]
const ITEM: readonly Action[] = [
  { method: 'GET', access: 'read', described: reading, answer: showRecord },
  { method: 'PATCH', access: 'write', described: changing, answer: changeRecord },
  { method: 'DELETE', access: 'write', described: removing, answer: removeRecord },
]

/** The API of the school: two paths for each area, with the methods that its scopes allow. */
export function schoolApi(api: SchoolGuard, school: SchoolRecords): Hono<Guarded> {
  const app = new Hono<Guarded>()
  for (const area of areas) {
    addPath(app, `/api/${area.name}`, area, COLLECTION, api, school)
    addPath(app, `/api/${area.name}/:id`, area, ITEM, api, school)
  }
  return app
}

function addPath(
  app: Hono<Guarded>,
  path: string,
  area: Area,
  actions: readonly Action[],
  api: SchoolGuard,
  school: SchoolRecords,
): void {
  const offered = actions.filter(({ access }) => area[access] !== undefined)
  const scripts = scriptsMayCall(offered, api)
  const guard = area.catalogue ? api.allowing({ clientCredentials: true }) : api
  app.use(path, scripts)
  for (const { method, access, described, answer } of offered) {
    // The guard comes first: a caller without write access does not learn what is wrong with the members.
    const guards = [protect(guard, scopeOf(area.name, access)), withoutToken(area, access, api)] as const
    app.on(method, path, describe(described(area)), prefetch, ...guards, (c) => answer({ c, school, area }))
  }
  // It has responded by now; a 405 lists the registered methods.
  app.options(path, scripts)
}

const EXPOSED = ['WWW-Authenticate', 'Link', 'Location', 'ETag', 'Retry-After']

/** Any origin, without credentials: the API reads only tokens and no cookies. Header lists contain spaces. */
function scriptsMayCall(offered: readonly Action[], { corsHeaders }: SchoolGuard): MiddlewareHandler {
  const methods = offered.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return cors({
    origin: '*',
    allowMethods: [methods.join(', ')],
    allowHeaders: [['authorization', 'content-type', 'if-match', ...(corsHeaders?.allowed ?? [])].join(', ')],
    exposeHeaders: [[...EXPOSED, ...(corsHeaders?.exposed ?? [])].join(', ')],
    maxAge: 86_400,
  })
}

/**
 * Serves a request without a token as anonymous: no challenge, but a link to the protected resource metadata (RFC 8631
 * 4). RFC 6750 3 wants a challenge with the 403 of a write. The specification of this API, sections 5.8 and 7, forbids
 * it.
 */
function withoutToken({ title }: Area, access: Access, api: SchoolGuard): MiddlewareHandler<Guarded> {
  return async (c, next) => {
    if (c.var.auth.kind === 'authorized') return next()
    c.header('link', `<${api.metadataUrl}>; rel="service-meta"`)
    if (access === 'read') return next()
    return jsonError(c, 403, 'access_denied', `Writing ${title.toLowerCase()} needs an access token`)
  }
}
