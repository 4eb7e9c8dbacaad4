import type { ServerDescription } from '@grantkit/core'
import { challengeAnswer, type Operation, UNAVAILABLE } from './operation.ts'

/** The operations of what a setting mounts. */
export function optionalOperations({ endpoints }: ServerDescription): Operation[] {
  const mounted = new Set(endpoints.map(({ path }) => path))
  return [VERIFY].filter(({ path }) => mounted.has(path))
}

const IDENTITY = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope']

const VERIFY: Operation = {
  path: '/api/oauth/verify',
  method: 'get',
  operationId: 'verifyToken',
  tag: 'OAuth',
  summary: 'May this request pass? (RFC 6750 3)',
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
