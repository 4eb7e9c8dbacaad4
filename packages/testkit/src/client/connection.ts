import type { HttpResponse } from '@grantkit/core'
import { inProcess, overFetch, type Send, type ServerUnderTest } from './send.ts'

/** The endpoints that a client reads from the metadata (RFC 8414 2). */
export interface Endpoints {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string
  readonly revocation_endpoint: string
  readonly introspection_endpoint: string
}

export interface ConnectionOptions<R extends HttpResponse = HttpResponse> {
  /** Carries requests to the server. Default: in this process, or with `fetch` if the server is a URL. */
  readonly send?: Send<R> | undefined
  /** Default: read from the metadata of the server. */
  readonly endpoints?: Endpoints | undefined
}

/** The connection of a client to a server. */
export interface Connection<R extends HttpResponse> {
  readonly send: Send<R>
  readonly endpoints: Endpoints
}

/** @param server what `createAuthorizationServer` returned, or the issuer of a server that listens */
export async function connect<R extends HttpResponse>(
  server: ServerUnderTest | string,
  options: ConnectionOptions<R>,
): Promise<Connection<R>> {
  // A caller with another type of response also passes the `send` that makes it.
  const send = options.send ?? ((typeof server === 'string' ? overFetch() : inProcess(server)) as Send<R>)
  const issuer = typeof server === 'string' ? server : server.issuer
  return { send, endpoints: options.endpoints ?? (await discover(send, issuer)) }
}

async function discover(send: Send, issuer: string): Promise<Endpoints> {
  const { origin, pathname } = new URL(issuer)
  const metadata = `/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
  const { status, body } = await send(`${origin}${metadata}`, { method: 'GET', headers: {}, body: '' })
  if (status !== 200) throw new Error(`There is no metadata at ${metadata} (status ${status}): ${body}`)
  return JSON.parse(body)
}
