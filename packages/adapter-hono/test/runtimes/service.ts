import {
  type Anonymous,
  type Authorized,
  createAuthorizationServer,
  createResourceServer,
  type PrivateJwk,
  type ResourceServer,
} from '@grantkit/core'
import { type Route, toFetchHandler, toHttpRequest, toResponse } from '@grantkit/core/adapter'
import { createMemoryStore } from '@grantkit/store-memory'
import { alwaysSignedIn } from '@grantkit/testkit/client'
import { Hono } from 'hono'
import { authorizationServer, protect } from '../../src/index.ts'
import {
  addingClients,
  endingSessions,
  featuresOf,
  proofs,
  SCOPES,
  SECRET,
  signedApi,
  signedGuard,
} from './features.ts'

/** The service of every runtime. Every visitor is Alice, without a sign-in. */

export interface Environment {
  readonly ISSUER: string
  /** Private JWKs, as JSON. */
  readonly KEYS: string
  /** Mounted into Hono, or with `toFetchHandler` alone. */
  readonly MOUNT: string
}

type Fetch = (request: Request) => Response | Promise<Response>

export async function serviceOf({ ISSUER: issuer, KEYS, MOUNT }: Environment): Promise<Fetch> {
  const store = createMemoryStore()
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: SECRET,
    keys: JSON.parse(KEYS) as PrivateJwk[],
    claims: async () => ({ name: 'Alice' }),
    interaction: alwaysSignedIn(),
    resources: [issuer, signedApi(issuer)],
    features: featuresOf(issuer),
  })
  const apis = {
    '/notes': createResourceServer({ resource: issuer, store, scopes: SCOPES, anonymous: 'allow', proofs }),
    '/signed': await signedGuard(issuer, server),
  }
  const routes = [...server.routes, addingClients(server), endingSessions(server), ...ECHOES, fails]
  return readingBodiesFirst(MOUNT === 'hono' ? onHono(routes, apis) : alone(routes, apis))
}

/** Reads the body before the routes do, if a request asks for that. */
function readingBodiesFirst(next: Fetch): Fetch {
  return async (request) => {
    if (request.headers.has('x-read-before')) await request.text()
    return next(request)
  }
}

type Api = ResourceServer<keyof typeof SCOPES, Authorized | Anonymous>
type Apis = Readonly<Record<string, Api>>

function onHono(routes: readonly Route[], apis: Apis): Fetch {
  const app = new Hono().route('/', authorizationServer({ routes }))
  for (const [path, api] of Object.entries(apis))
    app.get(path, protect(api, 'notes:read'), (c) => c.json(c.var.auth))
  return app.fetch
}

function alone(routes: readonly Route[], apis: Apis): Fetch {
  const handle = toFetchHandler({ routes })
  return async (request) => {
    const api = apis[new URL(request.url).pathname]
    if (api === undefined) return handle(request)
    const access = await api.access(toHttpRequest(request), 'notes:read')
    return access.kind === 'refused' ? toResponse(access.response) : Response.json(access)
  }
}

/** Answer with the request they got. */
const ECHOES = ['/echo/1', '/echo/%7Ea%2Fb%E2%82%AC'].map(
  (path): Route => ({
    path,
    methods: ['GET', 'POST'],
    handle: async ({ native, ...request }) => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'set-cookie': ['a=1; Path=/', 'b=2; Path=/'] },
      body: JSON.stringify(request),
    }),
  }),
)

const fails: Route = {
  path: '/fails',
  methods: ['GET'],
  handle: () => Promise.reject(new Error('internal detail')),
}
