import type { DescribedServer, Operations } from './described-server.ts'
import { clientForm, messageOf, tokenRequests } from './requests.ts'
import { CLIENT_ERRORS, error, form, guardErrors, json } from './responses.ts'
import {
  DeviceAuthorization,
  Empty,
  introspectionResponse,
  PushedAuthorizationResponse,
  tokenResponse,
  UserInfo,
} from './schemas.ts'

/** The OAuth endpoints that clients and resource servers call. @param named adds a schema to the document */
export function clientEndpoints(
  server: DescribedServer,
  named: (name: string, schema: object) => { $ref: string },
): Operations {
  const { mounted } = server
  const request = (name: string, endpoint: string) => ({
    body: form(named(name, clientForm(messageOf(mounted, endpoint), mounted))),
  })
  const requests = tokenRequests(mounted).map(([name, schema]) => named(name, schema))
  const errors = { 400: error('`invalid_request`: such as a missing token'), ...CLIENT_ERRORS }
  return {
    'post /api/oauth/token': {
      operationId: 'exchangeToken',
      request: { body: form({ oneOf: requests }) },
      responses: {
        200: json('The tokens', tokenResponse(server)),
        400: error('`invalid_grant`: such as an expired authorization code'),
        ...CLIENT_ERRORS,
      },
    },
    'post /api/oauth/revoke': {
      operationId: 'revokeToken',
      description: 'A refresh token ends everything that the user allowed with it.',
      request: request('Revocation', 'revocation_endpoint'),
      responses: { 200: json('The token is revoked', Empty, {}), ...errors },
    },
    'post /api/oauth/introspect': {
      operationId: 'introspectToken',
      description: 'For confidential clients: each sees its own tokens, a resource server sees all.',
      request: request('IntrospectionQuery', 'introspection_endpoint'),
      responses: { 200: json('The token', introspectionResponse(server), { active: false }), ...errors },
    },
    'post /api/oauth/par': {
      operationId: 'pushAuthorizationRequest',
      description:
        'The browser then opens the authorization endpoint with `client_id` and `request_uri` alone, within `expires_in` seconds.',
      responses: {
        201: json('The name of the request', PushedAuthorizationResponse),
        400: error('`invalid_request`: such as a missing redirect_uri'),
        ...CLIENT_ERRORS,
      },
    },
    'post /api/oauth/device_authorization': {
      operationId: 'authorizeDevice',
      description:
        'Then show `user_code` and `verification_uri`, and exchange `device_code` every `interval` seconds.',
      responses: {
        200: json('Both codes', DeviceAuthorization),
        400: error('`invalid_scope`: scope names a scope that devices cannot get'),
        ...CLIENT_ERRORS,
      },
    },
    ...RESOURCE_ENDPOINTS,
  }
}

const userInfo = {
  security: [{ oauth2: ['openid'] }],
  responses: { 200: json('What the scopes open', UserInfo), ...guardErrors('the token lacks openid') },
}
const schema = { type: 'string' } as const
const headers = { 'X-Auth-Subject': { schema }, 'X-Auth-Client': { schema }, 'X-Auth-Scope': { schema } }
const description = 'What the token must have, with spaces between'

/** The endpoints that take an access token. */
const RESOURCE_ENDPOINTS: Operations = {
  'get /api/oauth/userinfo': { operationId: 'userInfo', ...userInfo },
  'post /api/oauth/userinfo': { operationId: 'userInfoByPost', ...userInfo },
  'get /api/oauth/verify': {
    operationId: 'verifyToken',
    description: 'Forward auth for nginx, Traefik, Caddy and Envoy. Every other method is answered like GET.',
    security: [{ oauth2: [] }],
    parameters: [{ name: 'scope', in: 'query', required: false, description, schema }],
    responses: {
      200: { description: 'Allowed: the user, the client and the scopes of the token', headers },
      ...guardErrors('the token lacks the scope, or the scope does not exist'),
    },
  },
}
