import {
  createAuthorizationServer,
  createResourceServer,
  type HttpResponse,
  type Interaction,
} from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'
import { createMemoryStore } from '@grantkit/store-memory'
import { aClient } from '@grantkit/testkit'

export const ISSUER = 'https://notes.example'
const SCOPES = { 'notes:read': { description: 'Read notes' } }

/** A server that knows one client, and the guard of its notes. */
export async function openNotes(issuer = ISSUER) {
  const store = createMemoryStore()
  await store.clients.insert('client', aClient({ clientId: 'client' }), 9_999_999_999)
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: 'a secret of the tests, long enough to pass',
    interaction: { errorPage: ({ status, reason }) => page(status, reason) } as Interaction,
  })
  const guarded = { resource: issuer, store, scopes: SCOPES }
  const open = createResourceServer({ ...guarded, anonymous: 'allow' })
  return { server, api: createResourceServer(guarded), open }
}

/** A valid token request with an unknown code: `invalid_grant` shows that its body was read. */
export const TOKEN_REQUEST = {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=refresh_token&client_id=client&refresh_token=x',
}

/** A route that answers with the request it got. */
export const echo: Route = {
  path: '/echo',
  methods: ['GET', 'POST'],
  handle: async ({ native, ...request }) => json(request),
}

/** As of several issuers: all below `/t`, of which it has only `/t/a`. */
export const below: Route = {
  ...echo,
  ...{ path: '/t', below: true },
  find: async (request) => (request.path === '/t/a' ? echo : undefined),
}

export function json(value: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  }
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}
