import { BODY_ERRORS, FORM_REFUSED, HEADERS_TOO_LARGE } from './body-errors.ts'
import type { OAuthRequests } from './oauth-requests.ts'
import {
  challengeAnswer,
  errorAnswer,
  formBody,
  jsonAnswer,
  jsonBody,
  type Operation,
  redirectAnswer,
  ref,
  textAnswer,
  UNAVAILABLE,
} from './operation.ts'

export const CLIENT_REFUSED = errorAnswer(
  'The client is unknown or did not authenticate',
  'invalid_client',
  'The client secret is wrong',
)

/** The decision of a user about an app or a device. */
export const DECISION = formBody({
  type: 'object',
  required: ['ticket', 'decision'],
  properties: {
    ticket: { type: 'string' },
    decision: { type: 'string', enum: ['allow', 'allow_reading', 'deny'] },
    scope: { type: 'array', items: { type: 'string' } },
  },
})

const REGISTRATION: Operation = {
  path: '/api/oauth/register',
  method: 'post',
  operationId: 'registerClient',
  tag: 'OAuth',
  summary: 'Register a client (RFC 7591)',
  description:
    'Open to clients whose redirect URIs are loopback addresses. A fixed https callback is rejected.',
  security: [{}],
  requestBody: jsonBody(ref('ClientRegistration'), {
    client_name: 'My tool',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1:8123/callback'],
    token_endpoint_auth_method: 'none',
  }),
  responses: {
    '201': jsonAnswer('Registered; the metadata as it took effect', ref('ClientInformation')),
    '400': errorAnswer(
      'Refused',
      'invalid_redirect_uri',
      'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback',
    ),
    ...BODY_ERRORS,
  },
}

/** The operations that are always mounted. */
export function oauthOperations(requests: OAuthRequests): Operation[] {
  return [
    ...('ClientRegistration' in requests.components ? [REGISTRATION] : []),
    {
      path: '/oauth/authorize',
      method: 'get',
      operationId: 'authorize',
      tag: 'OAuth',
      summary: 'Ask the user (RFC 6749 4.1.1)',
      description:
        'For the browser of the user. Answers with the sign-in page, the consent page or a redirect to the client.',
      security: [{}],
      parameters: requests.authorizationParameters,
      responses: {
        '200': textAnswer('The consent page', 'text/html'),
        '303': redirectAnswer(
          'To the sign-in page, or to the client with `code` or `error`, `state` and `iss`',
        ),
        '400': textAnswer('A page: the client or its redirect URI is not known', 'text/html'),
        '431': HEADERS_TOO_LARGE,
        '503': textAnswer('A page: the store cannot be reached', 'text/html'),
      },
    },
    {
      path: '/oauth/authorize',
      method: 'post',
      operationId: 'authorizeByForm',
      tag: 'OAuth',
      summary: 'Ask the user, by a form (OpenID Connect Core 3.1.2.1)',
      security: [{}],
      requestBody: formBody(requests.authorizationForm),
      responses: {
        '200': textAnswer('The consent page', 'text/html'),
        '303': redirectAnswer('To the sign-in page or to the client'),
        '400': textAnswer('A page: the client or its redirect URI is not known', 'text/html'),
        ...FORM_REFUSED,
        '503': textAnswer('A page: the store cannot be reached', 'text/html'),
      },
    },
    {
      path: '/oauth/consent',
      method: 'post',
      operationId: 'answerConsent',
      tag: 'OAuth',
      summary: 'The answer of the user, sent by the consent page',
      security: [{}],
      requestBody: DECISION,
      responses: {
        '303': redirectAnswer('To the client with `code` or `error`, `state` and `iss`'),
        '400': textAnswer('A page: the form has expired or is not of this session', 'text/html'),
        ...FORM_REFUSED,
        '503': textAnswer('A page: the store cannot be reached', 'text/html'),
      },
    },
    {
      path: '/api/oauth/token',
      method: 'post',
      operationId: 'exchangeToken',
      tag: 'OAuth',
      summary: 'Exchange a code or a refresh token (RFC 6749 3.2)',
      security: [{}],
      requestBody: formBody({ oneOf: requests.exchanges.map(ref) }),
      responses: {
        '200': jsonAnswer('The tokens', ref('Tokens')),
        '400': errorAnswer('Refused', 'invalid_grant', 'The authorization code has expired'),
        '401': CLIENT_REFUSED,
        ...BODY_ERRORS,
      },
    },
    ...(['get', 'post'] as const).map(
      (method): Operation => ({
        path: '/api/oauth/userinfo',
        method,
        operationId: method === 'get' ? 'userInfo' : 'userInfoByPost',
        tag: 'OAuth',
        summary: 'Claims of the user (OpenID Connect Core 5.3)',
        security: [{ oauth2: ['openid'] }],
        responses: {
          '200': jsonAnswer('What the scopes open', ref('UserInfo')),
          '401': challengeAnswer(
            'No token, or a bad one',
            'invalid_token',
            'The access token is unknown, expired or revoked',
          ),
          '403': challengeAnswer(
            'The token lacks openid',
            'insufficient_scope',
            'The access token lacks a scope that this needs',
          ),
          '503': UNAVAILABLE,
        },
      }),
    ),
    {
      path: '/api/oauth/revoke',
      method: 'post',
      operationId: 'revokeToken',
      tag: 'OAuth',
      summary: 'Revoke an access token or a refresh token (RFC 7009)',
      description: 'A refresh token ends everything that the user allowed with it.',
      security: [{}],
      requestBody: formBody(ref('Revocation')),
      responses: {
        '200': jsonAnswer('The token is dead, or was', ref('Empty'), {}),
        '400': errorAnswer('Refused', 'invalid_request', 'token is missing'),
        '401': CLIENT_REFUSED,
        ...BODY_ERRORS,
      },
    },
    {
      path: '/api/oauth/introspect',
      method: 'post',
      operationId: 'introspectToken',
      tag: 'OAuth',
      summary: 'What a token is good for (RFC 7662)',
      description: 'For confidential clients: each sees its own tokens, a resource server sees all.',
      security: [{}],
      requestBody: formBody(ref('IntrospectionQuery')),
      responses: {
        '200': jsonAnswer('The token', ref('Introspection'), { active: false }),
        '400': errorAnswer('Refused', 'invalid_request', 'token is missing'),
        '401': CLIENT_REFUSED,
        ...BODY_ERRORS,
      },
    },
  ]
}
