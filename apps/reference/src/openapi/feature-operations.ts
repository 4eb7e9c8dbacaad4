import type { EndpointDescription, ServerDescription } from '@grantkit/core/feature'
import { CLIENT_REFUSED } from './oauth-operations.ts'
import { clientForm, objectSchema } from './oauth-requests.ts'
import { errorAnswer, formBody, jsonAnswer, type Operation, TOO_MANY, UNAVAILABLE } from './operation.ts'

/** The endpoints of features that have an OpenAPI description. */
export function featureOperations(
  { endpoints, clientAuthMethods }: ServerDescription,
  described: readonly Operation[],
): Operation[] {
  const known = new Set(described.map(({ path }) => path))
  return endpoints
    .filter(({ path }) => !known.has(path))
    .flatMap((endpoint) =>
      endpoint.methods.map((method) =>
        operationOf(endpoint, method === '*' ? 'GET' : method, clientAuthMethods),
      ),
    )
}

function operationOf(
  endpoint: EndpointDescription,
  method: 'GET' | 'POST',
  methods: ServerDescription['clientAuthMethods'],
): Operation {
  const { path, summary = path, message, clients } = endpoint
  const form = objectSchema(message)
  const fields = clients === undefined ? { ...form } : clientForm(form, methods)
  return {
    path,
    method: method === 'GET' ? 'get' : 'post',
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    tag: 'OAuth',
    summary,
    security: [{}],
    requestBody: method === 'POST' ? formBody(fields) : undefined,
    responses: {
      '200': jsonAnswer('Done', { type: 'object' }),
      '400': errorAnswer('Refused', 'invalid_request', 'The request is malformed'),
      ...(clients === undefined ? {} : { '401': CLIENT_REFUSED, '429': TOO_MANY }),
      '503': UNAVAILABLE,
    },
  }
}
