/** A server on Cloudflare Workers, made at the first request. Every visitor is Alice. */
import { createAuthorizationServer, type HttpResponse, type Interaction } from '@grantkit/core'
import { toFetchHandler } from '@grantkit/core/adapter'
import { Pool } from 'pg'
import { connectToPostgres, createPostgresStore } from '../../src/index.ts'

interface Env {
  readonly DATABASE: string
}

type Handler = (request: Request) => Response | Promise<Response>

let server: Handler | undefined

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (pathname === '/own-pool') return refusalOf(env)
    // The result is kept, not its promise: that belongs to the first request, too.
    server ??= await serverOf(origin, env)
    return server(request)
  },
}

async function serverOf(issuer: string, { DATABASE }: Env): Promise<Handler> {
  const store = await createPostgresStore(await connectToPostgres(DATABASE))
  const scopes = { 'notes:read': { description: 'Read your notes' } }
  const secret = 'a secret of the tests, long enough to pass'
  return toFetchHandler(createAuthorizationServer({ issuer, store, scopes, secret, interaction }))
}

async function refusalOf({ DATABASE }: Env): Promise<Response> {
  const pool = new Pool({ connectionString: DATABASE })
  const made = await createPostgresStore(pool).then(
    () => 'made',
    (error: Error) => error.message,
  )
  return new Response(made)
}

const interaction: Interaction = {
  session: async () => ({ id: 'session', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
  signIn: (returnTo) => ({ status: 303, headers: { location: returnTo }, body: '' }),
  errorPage: ({ status, reason }) => page(status, reason),
  consentPage: ({ action, ticket, scopes }) =>
    page(
      200,
      `<form method="post" action="${action.replaceAll('&', '&amp;')}">
         <input name="ticket" value="${ticket}">
         ${scopes.map(({ name }) => `<input name="scope" value="${name}">`)}
       </form>`,
    ),
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}
