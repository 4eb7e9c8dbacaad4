import type { EndpointDescription, ServerDescription } from '@grantkit/core'
import { BODY_REFUSALS } from './body-refusals.ts'
import { CLIENT_REFUSED } from './oauth-operations.ts'
import { clientForm, objectSchema } from './oauth-requests.ts'
import { errorAnswer, formBody, jsonAnswer, type Operation } from './operation.ts'

export const PUSH_ENDPOINT = 'pushed_authorization_request_endpoint'

/** The operation of pushed authorization requests (RFC 9126 2). */
export function pushOperation(
  { path, message }: EndpointDescription,
  methods: ServerDescription['clientAuthMethods'],
): Operation {
  return {
    path,
    method: 'post',
    operationId: 'pushAuthorizationRequest',
    tag: 'OAuth',
    summary: 'Push an authorization request (RFC 9126 2)',
    description:
      'The browser then opens the authorization endpoint with `client_id` and `request_uri` alone, within `expires_in` seconds.',
    security: [{}],
    requestBody: formBody(clientForm(objectSchema(message), methods)),
    responses: {
      '201': jsonAnswer('The name of the request', {
        type: 'object',
        properties: { request_uri: { type: 'string' }, expires_in: { type: 'integer' } },
        required: ['request_uri', 'expires_in'],
      }),
      '400': errorAnswer('Refused', 'invalid_request', 'redirect_uri is missing'),
      '401': CLIENT_REFUSED,
      ...BODY_REFUSALS,
    },
  }
}
