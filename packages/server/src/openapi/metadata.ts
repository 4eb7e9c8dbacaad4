import type { RouteConfig } from '@hono/zod-openapi'
import type { DescribedServer, Operations } from './described-server.ts'
import { json, type Schema } from './responses.ts'
import { KeySet, ResourceMetadata, ServerMetadata } from './schemas.ts'

const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const RESOURCE = '/.well-known/oauth-protected-resource'

/** The well-known documents. A resource below the base URL, such as `/mcp`, has metadata of its own. */
export function metadataDocuments({ baseUrl, resources }: DescribedServer): RouteConfig[] {
  const below = resources.flatMap((one) => (one.startsWith(`${baseUrl}/`) ? [one.slice(baseUrl.length)] : []))
  return [
    document(AUTHORIZATION_SERVER, 'serverMetadata', 'Server metadata (RFC 8414)', ServerMetadata),
    document(OPENID, 'openIdConfiguration', 'OpenID Connect Discovery', ServerMetadata),
    document(RESOURCE, 'resourceMetadata', 'Protected-resource metadata (RFC 9728)', ResourceMetadata),
    ...below.map((path) => {
      const id = `${path.slice(1).replaceAll(/[^A-Za-z0-9]+/g, '_')}ResourceMetadata`
      return document(RESOURCE + path, id, `The same for ${path}`, ResourceMetadata)
    }),
  ]
}

export const KEY_SET: Operations = {
  'get /api/oauth/jwks': {
    operationId: 'keySet',
    tags: ['Discovery'],
    responses: responses('Public signing keys (RFC 7517)', KeySet),
  },
}

function document(path: string, operationId: string, summary: string, schema: Schema): RouteConfig {
  const operation = { operationId, tags: ['Discovery'], summary, security: [{}] }
  return { method: 'get', path, ...operation, responses: responses(summary, schema) }
}

function responses(summary: string, schema: Schema) {
  return { 200: json(summary, schema), 304: { description: 'It has not changed' } }
}
