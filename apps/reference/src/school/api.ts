import { protect } from '@grantkit/adapter-hono'
import { jsonError, OpenAPIHono, prefetch, type RouteConfig } from '@grantkit/server/routes'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { RequiredSignIn, SchoolGuard } from '../oauth/guard.ts'
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
  readonly access: Access
  readonly operation: (area: Area) => RouteConfig
  readonly answer: Answer
  readonly signIn?: RequiredSignIn | undefined
}

const COLLECTION: readonly Action[] = [
  { access: 'read', operation: listing, answer: listRecords },
  { access: 'write', operation: adding, answer: addRecord },
]
const ITEM: readonly Action[] = [
  { access: 'read', operation: reading, answer: showRecord },
  { access: 'write', operation: changing, answer: changeRecord },
  { access: 'write', operation: removing, answer: removeRecord },
]

/** @param toRemove the sign-in that the removal of an item demands. Default: any */
export function schoolApi(
  api: SchoolGuard,
  school: SchoolRecords,
  toRemove?: RequiredSignIn,
): OpenAPIHono<Guarded> {
  const app = new OpenAPIHono<Guarded>()
  const item = ITEM.map((action) =>
    action.answer === removeRecord ? { ...action, signIn: toRemove } : action,
  )
  for (const area of areas) {
    addPath(app, `/api/${area.name}`, area, COLLECTION, api, school)
    addPath(app, `/api/${area.name}/:id`, area, item, api, school)
  }
  return app
}

function addPath(
  app: OpenAPIHono<Guarded>,
  path: string,
  area: Area,
  actions: readonly Action[],
  api: SchoolGuard,
  school: SchoolRecords,
): void {
  const offered = actions
    .filter(({ access }) => area[access] !== undefined)
    .map((action) => ({ ...action, route: action.operation(area) }))
  const scripts = scriptsMayCall(
    offered.map(({ route }) => route.method.toUpperCase()),
    api,
  )
  const usual = area.catalogue ? api.allowing({ clientCredentials: true }) : api
  app.use(path, scripts)
  for (const { access, route, answer, signIn } of offered) {
    const guard = signIn === undefined ? usual : api.requiring(signIn)
    // The guard comes first: a caller without write access does not learn what is wrong with the members.
    const guards = [protect(guard, scopeOf(area.name, access)), withoutToken(area, access, api)] as const
    app.on(route.method, path, prefetch, ...guards, (c) => answer({ c, school, area }))
    // Not `app.openapi()`, which would validate the body with other messages than those of this API.
    app.openAPIRegistry.registerPath(route)
  }
  // It has responded by now; a 405 lists the registered methods.
  app.options(path, scripts)
}

const EXPOSED = ['WWW-Authenticate', 'Link', 'Location', 'ETag', 'Retry-After']

/** Any origin, without credentials: the API reads only tokens and no cookies. Header lists contain spaces. */
function scriptsMayCall(methods: readonly string[], { corsHeaders }: SchoolGuard): MiddlewareHandler {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return cors({
    origin: '*',
    allowMethods: [allowed.join(', ')],
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
