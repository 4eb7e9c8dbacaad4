import type { EndpointDescription, ServerDescription } from '@grantkit/core/feature'
import {
  BODY_ERRORS,
  CLIENT_REFUSED,
  errorAnswer,
  formAnswers,
  formBody,
  guardErrors,
  HEADERS_TOO_LARGE,
  jsonAnswer,
  pageAnswers,
  type Schema,
  TOO_MANY,
  texts,
  UNAVAILABLE,
} from './answers.ts'
import type { Operation } from './describe.ts'
import { clientBody, DECISION, oauth } from './oauth-operations.ts'
import { clientForm, objectSchema } from './oauth-requests.ts'
import { DeviceCodes, PushedRequest } from './schemas.ts'

/** The operations that a setting enables. */
export function optionalOperations(description: ServerDescription): Operation[] {
  const paths = new Set(description.endpoints.map(({ path }) => path))
  const known = [verification(), ...logout(), ...push(description), ...device(description)]
  return known.filter(({ path }) => paths.has(path))
}

const AWAY = { 503: 'A page: the store cannot be reached' }

function verification(): Operation {
  const schema = { type: 'string' } as const
  const identity = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope'].map((name) => [name, { schema }])
  const description = 'What the token must have, with spaces between'
  return {
    ...oauth('get', '/api/oauth/verify', 'verifyToken', 'Forward auth for gateways (RFC 6750 3)'),
    description: 'The question of a gateway. Every other method is answered like GET.',
    security: [{ oauth2: [] }],
    parameters: [{ name: 'scope', in: 'query', required: false, description, schema }],
    responses: {
      200: {
        description: 'It may: the user, the client and the scopes of the token',
        headers: Object.fromEntries(identity),
      },
      ...guardErrors('The token lacks the scope, or the scope does not exist'),
    },
  }
}

function logout(): Operation[] {
  const names = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']
  const schema = { type: 'string' } as const
  const answers = { 400: 'A page: the request does not hold together, and nothing happened', ...AWAY }
  const toClient = 'To `post_logout_redirect_uri`, with `state`'
  return [
    {
      ...oauth('get', '/oauth/logout', 'logOut', 'Sign the user out (RP-Initiated Logout 2)'),
      description: 'For the browser of the user.',
      parameters: names.map((name) => ({ name, in: 'query', required: false, schema })),
      responses: {
        ...pageAnswers({
          200: 'A page that asks the user, or says that no user is signed in',
          303: toClient,
          ...answers,
        }),
        431: HEADERS_TOO_LARGE,
      },
    },
    {
      ...oauth(
        'post',
        '/oauth/logout',
        'logOutByForm',
        'Sign the user out, by a form (RP-Initiated Logout 2)',
      ),
      request: { body: formBody(texts(names)) },
      responses: formAnswers({ 303: 'To the same request as a query', ...answers }),
    },
    {
      ...oauth(
        'post',
        '/oauth/logout/confirm',
        'confirmLogOut',
        "The user's answer, sent by the confirmation page",
      ),
      request: { body: formBody(texts(['ticket'], ['ticket'])) },
      responses: formAnswers({
        200: 'A page: the user is signed out',
        303: toClient,
        400: 'A page: the form has expired or is not of this session',
        ...AWAY,
      }),
    },
  ]
}

function push(description: ServerDescription): Operation[] {
  const push = oauth(
    'post',
    '/api/oauth/par',
    'pushAuthorizationRequest',
    'Push an authorization request (RFC 9126 2)',
  )
  return [
    {
      ...push,
      description:
        'The browser then opens the authorization endpoint with `client_id` and `request_uri` alone, within `expires_in` seconds.',
      request: { body: clientBody(description, 'pushed_authorization_request_endpoint') },
      responses: {
        201: jsonAnswer('The name of the request', PushedRequest),
        400: errorAnswer('Refused', 'invalid_request', 'redirect_uri is missing'),
        401: CLIENT_REFUSED,
        ...BODY_ERRORS,
      },
    },
  ]
}

function device(description: ServerDescription): Operation[] {
  const signIn = { 303: 'To the sign-in page' }
  const authorization = oauth(
    'post',
    '/api/oauth/device_authorization',
    'authorizeDevice',
    'Request codes for a device without a browser (RFC 8628 3.1)',
  )
  return [
    {
      ...authorization,
      description:
        'Then show `user_code` and `verification_uri`, and exchange `device_code` every `interval` seconds.',
      request: { body: clientBody(description, 'device_authorization_endpoint') },
      responses: {
        200: jsonAnswer('Both codes', DeviceCodes),
        400: errorAnswer('Refused', 'invalid_scope', 'scope names a scope that devices cannot get'),
        401: CLIENT_REFUSED,
        ...BODY_ERRORS,
      },
    },
    {
      ...oauth('get', '/oauth/device', 'userCodePage', 'The page for the code of a device (RFC 8628 3.3)'),
      description: 'For the browser of the user.',
      responses: pageAnswers({ 200: 'A page with a form', ...signIn, ...AWAY }),
    },
    {
      ...oauth('post', '/oauth/device', 'enterUserCode', 'The code of a device, sent by its page'),
      request: { body: formBody(texts(['ticket', 'user_code'], ['ticket', 'user_code'])) },
      responses: formAnswers({
        200: 'A page that asks the user',
        ...signIn,
        400: 'The page again: the code is not valid, or the form has expired',
        429: 'A page: too many codes were tried',
        ...AWAY,
      }),
    },
    {
      ...oauth('post', '/oauth/device/decision', 'answerDevice', 'The answer of the user to a device'),
      parameters: [{ name: 'request', in: 'query', required: true, schema: { type: 'string' } }],
      request: { body: DECISION },
      responses: formAnswers({
        200: 'A page: the device has access, or was denied',
        ...signIn,
        400: 'A page: the form has expired, or was answered already',
        ...AWAY,
      }),
    },
  ]
}

/** The endpoints that no other operation describes: those of features that are not of this package. */
export function otherOperations(
  description: ServerDescription,
  described: readonly Operation[],
): Operation[] {
  const known = new Set(described.map(({ path }) => path))
  return description.endpoints
    .filter(({ path }) => !known.has(path))
    .flatMap((endpoint) =>
      endpoint.methods.map((method) =>
        otherOperation(endpoint, method === 'POST' ? 'post' : 'get', description),
      ),
    )
}

function otherOperation(
  { path, summary = path, message, clients }: EndpointDescription,
  method: 'get' | 'post',
  description: ServerDescription,
): Operation {
  const own = objectSchema(message)
  const form = clients === undefined ? own : clientForm(own, description)
  return {
    ...oauth(method, path, `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`, summary),
    ...(method === 'post' && { request: { body: formBody(form as Schema) } }),
    responses: {
      200: jsonAnswer('Done', { type: 'object' }),
      400: errorAnswer('Refused', 'invalid_request', 'The request is malformed'),
      ...(clients === undefined ? {} : { 401: CLIENT_REFUSED, 429: TOO_MANY }),
      503: UNAVAILABLE,
    },
  }
}
