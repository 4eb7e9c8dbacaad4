import type { ServerDescription } from '@grantkit/core/feature'
import { BODY_ERRORS } from './body-errors.ts'
import { CLIENT_REFUSED } from './oauth-operations.ts'
import { clientForm, objectSchema } from './oauth-requests.ts'
import { errorAnswer, formBody, jsonAnswer, type Operation } from './operation.ts'

const ENDPOINT = 'pushed_authorization_request_endpoint'

/** The operation of pushed authorization requests (RFC 9126 2). */
export function pushOperations({ endpoints, clientAuthMethods }: ServerDescription): Operation[] {
  const endpoint = endpoints.find(({ metadataName }) => metadataName === ENDPOINT)
  if (endpoint === undefined) return []
  const push: Operation = {
    path: endpoint.path,
    method: 'post',
    operationId: 'pushAuthorizationRequest',
    tag: 'OAuth',
    summary: 'Push an authorization request (RFC 9126 2)',
    description:
      'The browser then opens the authorization endpoint with `client_id` and `request_uri` alone, within `expires_in` seconds.',
    security: [{}],
    requestBody: formBody(clientForm(objectSchema(endpoint.message), clientAuthMethods)),
    responses: {
      '201': jsonAnswer('The name of the request', {
        type: 'object',
        properties: { request_uri: { type: 'string' }, expires_in: { type: 'integer' } },
        required: ['request_uri', 'expires_in'],
      }),
      '400': errorAnswer('Refused', 'invalid_request', 'redirect_uri is missing'),
      '401': CLIENT_REFUSED,
      ...BODY_ERRORS,
    },
  }
  return [push]
}
