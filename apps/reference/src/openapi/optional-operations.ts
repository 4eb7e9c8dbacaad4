import type { ServerDescription } from '@grantkit/core/feature'
import { FORM_REFUSED, HEADERS_TOO_LARGE } from './body-errors.ts'
import {
  challengeAnswer,
  formBody,
  type Operation,
  redirectAnswer,
  textAnswer,
  UNAVAILABLE,
} from './operation.ts'
import { pushOperations } from './push-operation.ts'

/** The operations that a setting enables. */
export function optionalOperations(description: ServerDescription): Operation[] {
  const { endpoints } = description
  const mounted = new Set(endpoints.map(({ path }) => path))
  return [...[VERIFY, ...LOGOUT].filter(({ path }) => mounted.has(path)), ...pushOperations(description)]
}

const IDENTITY = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope']

const VERIFY: Operation = {
  path: '/api/oauth/verify',
  method: 'get',
  operationId: 'verifyToken',
  tag: 'OAuth',
  summary: 'Forward auth for gateways (RFC 6750 3)',
  description: 'The question of a gateway. Every other method is answered like GET.',
  security: [{ oauth2: [] }],
  parameters: [
    {
      name: 'scope',
      in: 'query',
      required: false,
      description: 'What the token must have, with spaces between',
      schema: { type: 'string' },
    },
  ],
  responses: {
    '200': {
      description: 'It may: the user, the client and the scopes of the token',
      headers: Object.fromEntries(IDENTITY.map((name) => [name, { schema: { type: 'string' } }])),
    },
    '401': challengeAnswer(
      'No token, or a bad one',
      'invalid_token',
      'The access token is unknown, expired or revoked',
    ),
    '403': challengeAnswer(
      'The token lacks the scope, or the scope does not exist',
      'insufficient_scope',
      'The access token lacks a scope that this needs',
    ),
    '503': UNAVAILABLE,
  },
}

const LOGOUT_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']
const REFUSED = textAnswer('A page: the request does not hold together, and nothing happened', 'text/html')
const AWAY = textAnswer('A page: the store cannot be reached', 'text/html')

const LOGOUT: readonly Operation[] = [
  {
    path: '/oauth/logout',
    method: 'get',
    operationId: 'logOut',
    tag: 'OAuth',
    summary: 'Sign the user out (RP-Initiated Logout 2)',
    description: 'For the browser of the user.',
    security: [{}],
    parameters: LOGOUT_PARAMETERS.map((name) => ({
      name,
      in: 'query',
      required: false,
      schema: { type: 'string' },
    })),
    responses: {
      '200': textAnswer('A page that asks the user, or says that no user is signed in', 'text/html'),
      '303': redirectAnswer('To `post_logout_redirect_uri`, with `state`'),
      '400': REFUSED,
      '431': HEADERS_TOO_LARGE,
      '503': AWAY,
    },
  },
  {
    path: '/oauth/logout',
    method: 'post',
    operationId: 'logOutByForm',
    tag: 'OAuth',
    summary: 'Sign the user out, by a form (RP-Initiated Logout 2)',
    security: [{}],
    requestBody: formBody({
      type: 'object',
      properties: Object.fromEntries(LOGOUT_PARAMETERS.map((name) => [name, { type: 'string' }])),
    }),
    responses: {
      '303': redirectAnswer('To the same request as a query'),
      '400': REFUSED,
      ...FORM_REFUSED,
      '503': AWAY,
    },
  },
  {
    path: '/oauth/logout/confirm',
    method: 'post',
    operationId: 'confirmLogOut',
    tag: 'OAuth',
    summary: "The user's answer, sent by the confirmation page",
    security: [{}],
    requestBody: formBody({
      type: 'object',
      required: ['ticket'],
      properties: { ticket: { type: 'string' } },
    }),
    responses: {
      '200': textAnswer('A page: the user is signed out', 'text/html'),
      '303': redirectAnswer('To `post_logout_redirect_uri`, with `state`'),
      '400': textAnswer('A page: the form has expired or is not of this session', 'text/html'),
      ...FORM_REFUSED,
      '503': AWAY,
    },
  },
]
