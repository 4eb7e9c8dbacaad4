import type { ServerDescription } from '@grantkit/core/feature'
import { BODY_ERRORS, FORM_REFUSED } from './body-errors.ts'
import { CLIENT_REFUSED, DECISION } from './oauth-operations.ts'
import { clientForm, objectSchema } from './oauth-requests.ts'
import { errorAnswer, formBody, jsonAnswer, type Operation, redirectAnswer, textAnswer } from './operation.ts'

/** The operations of the device grant. */
export function deviceOperations({ endpoints, clientAuthMethods }: ServerDescription): Operation[] {
  const endpoint = endpoints.find(({ metadataName }) => metadataName === 'device_authorization_endpoint')
  if (endpoint === undefined) return []
  const authorizeDevice: Operation = {
    path: endpoint.path,
    method: 'post',
    operationId: 'authorizeDevice',
    tag: 'OAuth',
    summary: 'Request codes for a device without a browser (RFC 8628 3.1)',
    description:
      'Then show `user_code` and `verification_uri`, and exchange `device_code` every `interval` seconds.',
    security: [{}],
    requestBody: formBody(clientForm(objectSchema(endpoint.message), clientAuthMethods)),
    responses: {
      '200': jsonAnswer('Both codes', CODES),
      '400': errorAnswer('Refused', 'invalid_scope', 'scope names a scope that devices cannot get'),
      '401': CLIENT_REFUSED,
      ...BODY_ERRORS,
    },
  }
  return [authorizeDevice, ...PAGES]
}

const CODES = {
  type: 'object',
  required: ['device_code', 'user_code', 'verification_uri', 'expires_in', 'interval'],
  properties: {
    device_code: { type: 'string' },
    user_code: { type: 'string', example: 'WDJB-MJHT' },
    verification_uri: { type: 'string' },
    expires_in: { type: 'integer', description: 'Seconds' },
    interval: { type: 'integer', description: 'Seconds between two exchanges' },
  },
}

const SIGN_IN = redirectAnswer('To the sign-in page')
const AWAY = textAnswer('A page: the store cannot be reached', 'text/html')

const PAGES: readonly Operation[] = [
  {
    path: '/oauth/device',
    method: 'get',
    operationId: 'userCodePage',
    tag: 'OAuth',
    summary: 'The page for the code of a device (RFC 8628 3.3)',
    description: 'For the browser of the user.',
    security: [{}],
    responses: { '200': textAnswer('A page with a form', 'text/html'), '303': SIGN_IN, '503': AWAY },
  },
  {
    path: '/oauth/device',
    method: 'post',
    operationId: 'enterUserCode',
    tag: 'OAuth',
    summary: 'The code of a device, sent by its page',
    security: [{}],
    requestBody: formBody({
      type: 'object',
      required: ['ticket', 'user_code'],
      properties: { ticket: { type: 'string' }, user_code: { type: 'string' } },
    }),
    responses: {
      '200': textAnswer('A page that asks the user', 'text/html'),
      '303': SIGN_IN,
      '400': textAnswer('The page again: the code is not valid, or the form has expired', 'text/html'),
      ...FORM_REFUSED,
      '429': textAnswer('A page: too many codes were tried', 'text/html'),
      '503': AWAY,
    },
  },
  {
    path: '/oauth/device/decision',
    method: 'post',
    operationId: 'answerDevice',
    tag: 'OAuth',
    summary: 'The answer of the user to a device',
    security: [{}],
    parameters: [{ name: 'request', in: 'query', required: true, schema: { type: 'string' } }],
    requestBody: DECISION,
    responses: {
      '200': textAnswer('A page: the device has access, or was denied', 'text/html'),
      '303': SIGN_IN,
      '400': textAnswer('A page: the form has expired, or was answered already', 'text/html'),
      ...FORM_REFUSED,
      '503': AWAY,
    },
  },
]
