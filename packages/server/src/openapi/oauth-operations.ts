import type { ServerDescription } from '@grantkit/core/feature'
import type { KnownClient } from '@grantkit/core/known-clients'
import {
  BODY_ERRORS,
  CLIENT_REFUSED,
  errorAnswer,
  formAnswers,
  formBody,
  guardErrors,
  HEADERS_TOO_LARGE,
  jsonAnswer,
  jsonBody,
  pageAnswers,
  type Schema,
} from './answers.ts'
import { forAnybody, type Operation } from './describe.ts'
import { authorizationForm, clientForm, messageOf, objectSchema, queryOf } from './oauth-requests.ts'
import {
  ClientInformation,
  Empty,
  introspectionWith,
  KeySet,
  type Mounted,
  ResourceMetadata,
  ServerMetadata,
  tokensWith,
  UserInfo,
} from './schemas.ts'

/** Requests that are schemas of the document. */
export interface NamedRequests {
  /** By grant type. */
  readonly exchanges: readonly Schema[]
  /** Absent without dynamic client registration. */
  readonly registration?: Schema | undefined
  readonly revocation: Schema
  readonly introspection: Schema
}

/** The operations that every server has. @param known the clients that may register their own redirect URIs */
export function oauthOperations(
  description: ServerDescription,
  requests: NamedRequests,
  mounted: Mounted,
  known: readonly KnownClient[],
): Operation[] {
  return [
    ...(requests.registration === undefined ? [] : [registration(requests.registration, known)]),
    ...authorizationOperations(description),
    {
      ...form('/api/oauth/token', 'exchangeToken', 'Exchange a code or a refresh token (RFC 6749 3.2)'),
      request: { body: formBody({ oneOf: [...requests.exchanges] as never }) },
      responses: {
        200: jsonAnswer('The tokens', tokensWith(mounted)),
        400: errorAnswer('Refused', 'invalid_grant', 'The authorization code has expired'),
        ...CLIENT_ERRORS,
      },
    },
    ...userInfo(),
    {
      ...form('/api/oauth/revoke', 'revokeToken', 'Revoke an access token or a refresh token (RFC 7009)'),
      description: 'A refresh token ends everything that the user allowed with it.',
      request: { body: formBody(requests.revocation) },
      responses: { 200: jsonAnswer('The token is dead, or was', Empty, {}), ...TOKEN_ERRORS },
    },
    {
      ...form('/api/oauth/introspect', 'introspectToken', 'What a token is good for (RFC 7662)'),
      description: 'For confidential clients: each sees its own tokens, a resource server sees all.',
      request: { body: formBody(requests.introspection) },
      responses: {
        200: jsonAnswer('The token', introspectionWith(mounted), { active: false }),
        ...TOKEN_ERRORS,
      },
    },
    ...DOCUMENTS,
  ]
}

const CLIENT_ERRORS = { 401: CLIENT_REFUSED, ...BODY_ERRORS }
const TOKEN_ERRORS = {
  400: errorAnswer('Refused', 'invalid_request', 'token is missing'),
  ...CLIENT_ERRORS,
}

/** An operation of OAuth that anybody may call. */
export function oauth(
  method: Operation['method'],
  path: string,
  operationId: string,
  summary: string,
): Operation {
  return { path, method, ...forAnybody('OAuth', operationId, summary, {}) }
}

function form(path: string, operationId: string, summary: string): Operation {
  return oauth('post', path, operationId, summary)
}

/** The form of an endpoint with the credentials of its client. */
export function clientBody(description: ServerDescription, metadataName: string) {
  return formBody(clientForm(messageOf(description, metadataName) ?? objectSchema(undefined), description))
}

function registration(request: Schema, known: readonly KnownClient[]): Operation {
  return {
    ...oauth('post', '/api/oauth/register', 'registerClient', 'Register a client (RFC 7591)'),
    description: `Open to clients whose redirect URIs are loopback addresses. ${fixedRedirectUris(known)}`,
    request: {
      body: jsonBody(request, {
        client_name: 'My tool',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1:8123/callback'],
        token_endpoint_auth_method: 'none',
      }),
    },
    responses: {
      201: jsonAnswer('Registered; the metadata as it took effect', ClientInformation),
      400: errorAnswer(
        'Refused',
        'invalid_redirect_uri',
        'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback',
      ),
      ...BODY_ERRORS,
    },
  }
}

function fixedRedirectUris(known: readonly KnownClient[]): string {
  if (known.length === 0) return 'A fixed https callback is rejected.'
  const rows = known.map(({ name, redirectUris }) => `\n- ${name}: ${redirectUris.join(' ')}`)
  return `Any other is rejected, except those of known clients, exactly as written here:\n${rows.join('')}`
}

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

function authorizationOperations(description: ServerDescription): Operation[] {
  const request = authorizationForm(description)
  const answers = {
    200: 'The consent page',
    303: 'To the sign-in page, or to the client with `code` or `error`, `state` and `iss`',
    400: 'A page: the client or its redirect URI is not known',
    503: 'A page: the store cannot be reached',
  }
  return [
    {
      ...oauth('get', '/oauth/authorize', 'authorize', 'Ask the user (RFC 6749 4.1.1)'),
      description:
        'For the browser of the user. Answers with the sign-in page, the consent page or a redirect to the client.',
      parameters: queryOf(request) as never,
      responses: { ...pageAnswers(answers), 431: HEADERS_TOO_LARGE },
    },
    {
      ...form('/oauth/authorize', 'authorizeByForm', 'Ask the user, by a form (OpenID Connect Core 3.1.2.1)'),
      request: { body: formBody(request as Schema) },
      responses: formAnswers(answers),
    },
    {
      ...form('/oauth/consent', 'answerConsent', 'The answer of the user, sent by the consent page'),
      request: { body: DECISION },
      responses: formAnswers({
        303: 'To the client with `code` or `error`, `state` and `iss`',
        400: 'A page: the form has expired or is not of this session',
        503: 'A page: the store cannot be reached',
      }),
    },
  ]
}

function userInfo(): Operation[] {
  const summary = 'Claims of the user (OpenID Connect Core 5.3)'
  const described = {
    security: [{ oauth2: ['openid'] }],
    responses: {
      200: jsonAnswer('What the scopes open', UserInfo),
      ...guardErrors('The token lacks openid'),
    },
  }
  return [
    { ...oauth('get', '/api/oauth/userinfo', 'userInfo', summary), ...described },
    { ...oauth('post', '/api/oauth/userinfo', 'userInfoByPost', summary), ...described },
  ]
}

const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource'

/** The metadata documents. */
const DOCUMENTS = [
  document(AUTHORIZATION_SERVER, 'serverMetadata', 'Server metadata (RFC 8414)', ServerMetadata),
  document(
    '/.well-known/openid-configuration',
    'openIdConfiguration',
    'OpenID Connect Discovery',
    ServerMetadata,
  ),
  document(RESOURCE, 'resourceMetadata', 'Protected-resource metadata (RFC 9728)', ResourceMetadata),
  document('/api/oauth/jwks', 'keySet', 'Public signing keys (RFC 7517)', KeySet),
]

/** The metadata of the resources below the base URL, such as `/mcp`. */
export function resourceDocuments(baseUrl: string, resources: readonly string[]): Operation[] {
  const paths = resources.flatMap((one) => (one.startsWith(`${baseUrl}/`) ? [one.slice(baseUrl.length)] : []))
  return paths.map((path) => {
    const operationId = `${path.slice(1).replaceAll(/[^A-Za-z0-9]+/g, '_')}ResourceMetadata`
    return document(`${RESOURCE}${path}`, operationId, `The same for ${path}`, ResourceMetadata)
  })
}

function document(path: string, operationId: string, summary: string, schema: Schema): Operation {
  const responses = { 200: jsonAnswer(summary, schema), 304: { description: 'It has not changed' } }
  return { path, method: 'get', ...forAnybody('Discovery', operationId, summary, responses) }
}
