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
import { Hono } from 'hono'
import { authorizationServer, protect } from '../../src/index.ts'
import { interaction } from '../interaction.ts'

/** The service of every runtime. Every visitor is Alice, without a sign-in. */

export interface Environment {
  readonly ISSUER: string
  /** Private JWKs, as JSON. */
  readonly KEYS: string
  /** Mounted into Hono, or with `toFetchHandler` alone. */
  readonly MOUNT: string
}

type Fetch = (request: Request) => Response | Promise<Response>

const SCOPES = { openid: { description: 'Sign you in' }, 'notes:read': { description: 'Read your notes' } }

export function serviceOf({ ISSUER: issuer, KEYS, MOUNT }: Environment): Fetch {
  const store = createMemoryStore()
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: 'a secret of the tests, long enough to pass',
    keys: JSON.parse(KEYS) as PrivateJwk[],
    claims: async () => ({ name: 'Alice' }),
    interaction,
  })
  const api = createResourceServer({ resource: issuer, store, scopes: SCOPES, anonymous: 'allow' })
  const routes = [...server.routes, ...ECHOES, fails]
  return readingBodiesFirst(MOUNT === 'hono' ? onHono(routes, api) : alone(routes, api))
}

/** Reads the body before the routes do, if a request asks for that. */
function readingBodiesFirst(next: Fetch): Fetch {
  return async (request) => {
    if (request.headers.has('x-read-before')) await request.text()
    return next(request)
  }
}

type Api = ResourceServer<keyof typeof SCOPES, Authorized | Anonymous>

function onHono(routes: readonly Route[], api: Api): Fetch {
  const app = new Hono().route('/', authorizationServer({ routes }))
  app.get('/notes', protect(api, 'notes:read'), (c) => c.json(c.var.auth))
  return app.fetch
}

function alone(routes: readonly Route[], api: Api): Fetch {
  const handle = toFetchHandler({ routes })
  return async (request) => {
    if (new URL(request.url).pathname !== '/notes') return handle(request)
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
