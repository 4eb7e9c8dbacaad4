import { authorizationServer, protect } from '@grantkit/adapter-hono'
import {
  createAuthorizationServer,
  createResourceServer,
  type HttpResponse,
  type Store,
} from '@grantkit/core'
import { Hono } from 'hono'

const SCOPES = { 'notes:read': { description: 'Read your notes' } }

/** Grantkit as in its guide for Workers. A cookie names the signed-in user. */
export function grantkitOver(store: Store, issuer: string): Hono {
  const server = createAuthorizationServer({
    issuer,
    store,
    scopes: SCOPES,
    secret: 'a secret of the benchmark, long enough to pass',
    // All clients of a benchmark register from here.
    rateLimiter: { take: async () => 0 },
    // By default it prints them.
    onEvent() {},
    interaction: {
      session: async ({ headers }) => sessionOf(String(headers.cookie)),
      signIn: () => page(500, 'The user is signed in'),
      errorPage: ({ status, description }) => page(status, description),
      consentPage: ({ action, ticket }) => page(200, consentForm(action, ticket)),
    },
  })
  const api = createResourceServer({ resource: issuer, store, scopes: SCOPES })
  const app = new Hono()
  app.route('/', authorizationServer(server))
  app.get('/notes', protect(api, 'notes:read'), (c) => c.json({ owner: c.var.auth.token.subject }))
  return app
}

function sessionOf(cookie: string) {
  const subject = /^user=(.+)$/.exec(cookie)?.[1]
  return subject === undefined ? undefined : { id: `session of ${subject}`, subject, authTime: 1 }
}

function consentForm(action: string, ticket: string): string {
  return `<form method="post" action="${action.replaceAll('&', '&amp;')}">
    <input name="ticket" value="${ticket}"><input name="scope" value="notes:read"></form>`
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}

/** A Worker whose service is made with its first request, which brings the bindings and the address. */
export function workerOf<Env>(open: (env: Env, origin: string) => Hono) {
  let service: Hono | undefined
  return {
    fetch(request: Request, env: Env): Response | Promise<Response> {
      service ??= open(env, new URL(request.url).origin)
      return service.fetch(request)
    },
  }
}
