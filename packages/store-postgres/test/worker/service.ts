/** A server on Cloudflare Workers, made at the first request. Every visitor is Alice. */
import { createAuthorizationServer } from '@grantkit/core'
import { toFetchHandler } from '@grantkit/core/adapter'
import { alwaysSignedIn } from '@grantkit/testkit/client'
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
  return toFetchHandler(
    createAuthorizationServer({ issuer, store, scopes, secret, interaction: alwaysSignedIn() }),
  )
}

async function refusalOf({ DATABASE }: Env): Promise<Response> {
  const pool = new Pool({ connectionString: DATABASE })
  const made = await createPostgresStore(pool).then(
    () => 'made',
    (error: Error) => error.message,
  )
  return new Response(made)
}
