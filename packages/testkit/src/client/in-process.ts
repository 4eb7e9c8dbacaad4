import type { AuthorizationServer, HttpRequest, HttpResponse } from '@grantkit/core'

/** The part of the server that a client sees. */
export type ServerUnderTest = Pick<AuthorizationServer, 'issuer' | 'routes'>

/** The endpoints that a client reads from the metadata (RFC 8414 2). */
export interface Endpoints {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint: string
  readonly revocation_endpoint: string
  readonly introspection_endpoint: string
}

/** Sends a request to the server without a socket. @param url absolute, or a path with its query */
export function send(
  { issuer, routes }: ServerUnderTest,
  url: string,
  request: Partial<Pick<HttpRequest, 'method' | 'headers' | 'body'>> = {},
): Promise<HttpResponse> {
  const { pathname: path, search } = new URL(url, issuer)
  const route = routes.find((candidate) => candidate.path === path)
  if (route === undefined) throw new Error(`The server has no route ${path}`)
  return route.handle({ method: 'GET', path, query: search.slice(1), headers: {}, body: '', ...request })
}

export async function endpointsOf(server: ServerUnderTest): Promise<Endpoints> {
  const { pathname } = new URL(server.issuer)
  const metadata = `/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
  return JSON.parse((await send(server, metadata)).body)
}
