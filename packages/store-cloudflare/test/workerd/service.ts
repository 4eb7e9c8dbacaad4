import { authorizationServer } from '@grantkit/adapter-hono'
import {
  type AuthorizationServer,
  createAuthorizationServer,
  createResourceServer,
  type Store,
} from '@grantkit/core'
import { alwaysSignedIn, testClient } from '@grantkit/testkit/client'
import { Hono } from 'hono'

type Fetch = (request: Request) => Response | Promise<Response>

const SCOPES = { 'notes:read': { description: 'Read your notes' } }

export function serviceOver(store: Store, issuer: string): Fetch {
  const app = new Hono().route('/', authorizationServer(serverOver(store, issuer)))
  return (request) => app.fetch(request)
}

/** A client that calls the server without HTTP, and a guarded API. */
export async function clientInProcess(store: Store, issuer = 'https://counted.example') {
  const client = await testClient(serverOver(store, issuer))
  const guard = createResourceServer({ resource: issuer, store, scopes: SCOPES })
  const api = (token: string) =>
    guard.access({
      method: 'GET',
      path: '/notes',
      query: '',
      headers: { authorization: `Bearer ${token}` },
      body: '',
    })
  return { client, api }
}

/** An authorization server whose every visitor is Alice. */
function serverOver(store: Store, issuer: string): AuthorizationServer {
  return createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: 'a secret of the tests, long enough to pass',
    interaction: alwaysSignedIn(),
  })
}
