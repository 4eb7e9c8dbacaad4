import { routesOf } from '../http/endpoint.ts'
import { publicDocument, type Route } from '../http/http.ts'
import { wellKnownAddress } from '../http/well-known.ts'
import { shielded } from '../kernel/events.ts'

const NAME = 'oauth-authorization-server'

/**
 * The metadata of the authorization server at the host of an API, unchanged, for `authorizationServer()` of an adapter. MCP 2025-03-26
 * looks there for them, at the root of the host.
 *
 * @param resource the resource indicator of the API (RFC 8707)
 * @param metadata of the authorization server (RFC 8414 2): `server.metadata`, or the document that another process fetched
 * @returns no route if they are there anyway, because the resource has the origin of the issuer
 * @throws Error when they have no issuer
 *
 * @example
 * ```ts with:server
 * import { authorizationServer } from '@grantkit/adapter-hono'
 * import { mirroredMetadata } from '@grantkit/core'
 * import { Hono } from 'hono'
 *
 * const metadata = mirroredMetadata('https://mcp.example/mcp', server.metadata)
 * export const app = new Hono().route('/', authorizationServer(metadata))
 * ```
 */
export function mirroredMetadata(
  resource: string,
  metadata: Readonly<Record<string, unknown>>,
): { readonly routes: readonly Route[] } {
  const { issuer } = metadata
  if (typeof issuer !== 'string' || !URL.canParse(issuer))
    throw new Error('mirroredMetadata: the metadata of the authorization server must have an issuer')
  const { origin } = new URL(resource)
  const path = `/.well-known/${NAME}`
  if (wellKnownAddress(NAME, issuer) === origin + path) return { routes: [] }
  const document = { path, cors: true, methods: ['GET' as const], answer: publicDocument(metadata) }
  return { routes: routesOf({ emit: shielded(), issuer }, [], [document]) }
}
