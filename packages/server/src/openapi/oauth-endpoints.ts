import type { EndpointDescription } from '@grantkit/core/internal'
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import { clientEndpoints } from './client-endpoints.ts'
import type { DescribedServer, Operations } from './described-server.ts'
import { KEY_SET, metadataDocuments } from './metadata.ts'
import { pageEndpoints } from './page-endpoints.ts'
import { registrationEndpoint } from './registration.ts'
import { clientForm, queryOf, schemaOf } from './requests.ts'
import { CLIENT_ERRORS, error, form, json, UNAVAILABLE } from './responses.ts'
import { INITIAL_ACCESS_TOKEN, INITIAL_ACCESS_TOKEN_SCHEME, oauthScheme } from './security-scheme.ts'

/** The OAuth endpoints, which core routes itself: an application without handlers, with their part of the document. */
export function oauthEndpoints(server: DescribedServer): OpenAPIHono {
  const app = new OpenAPIHono()
  const { openAPIRegistry: registry } = app
  const named = (name: string, schema: object) => registry.registerComponent('schemas', name, schema).ref
  const operations = {
    ...pageEndpoints(server.mounted),
    ...clientEndpoints(server, named),
    ...registrationEndpoint(server, named),
    ...KEY_SET,
  }
  for (const endpoint of server.mounted.endpoints)
    for (const method of endpoint.methods)
      registry.registerPath(operationOf(endpoint, method === 'POST' ? 'post' : 'get', server, operations))
  for (const document of metadataDocuments(server)) registry.registerPath(document)
  registry.registerComponent('securitySchemes', 'oauth2', oauthScheme(server))
  if (server.registersWithToken)
    registry.registerComponent('securitySchemes', INITIAL_ACCESS_TOKEN, INITIAL_ACCESS_TOKEN_SCHEME)
  return app
}

/** The description by core, which is enough for the endpoints of other packages. */
function operationOf(
  { path, summary = path, message, clients }: EndpointDescription,
  method: 'get' | 'post',
  { mounted }: DescribedServer,
  operations: Operations,
): RouteConfig {
  const schema = clients === undefined ? message && schemaOf(message) : clientForm(message, mounted)
  const sent =
    schema && (method === 'post' ? { request: { body: form(schema) } } : { parameters: queryOf(schema) })
  return {
    ...{ method, path, summary, tags: ['OAuth'], security: [{}] },
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    ...sent,
    responses: {
      200: json('Done', { type: 'object' }),
      400: error('`invalid_request`: the request is malformed'),
      ...(clients === undefined ? { 503: UNAVAILABLE } : CLIENT_ERRORS),
    },
    ...operations[`${method} ${path}`],
  }
}
