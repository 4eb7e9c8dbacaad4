import type { EndpointDescription } from '@grantkit/core/internal'
import type { KnownClient } from '@grantkit/known-clients'
import type { MountContext } from '@grantkit/server'
import {
  challenged,
  error,
  form,
  guardErrors,
  json,
  OpenAPIHono,
  type RouteConfig,
  type Schema,
  UNAVAILABLE,
} from '@grantkit/server/routes'
import type { BlankEnv } from 'hono/types'
import {
  authorizationRequest,
  clientForm,
  type DescribedServer,
  INITIAL_ACCESS_TOKEN,
  INITIAL_ACCESS_TOKEN_SCHEME,
  messageOf,
  type Operations,
  oauthScheme,
  pushedRequest,
  queryOf,
  registrationRequest,
  schemaOf,
  tokenRequests,
} from './requests.ts'
import {
  BackchannelAuthentication,
  BODY_ERRORS,
  browserPage,
  CLIENT_ERRORS,
  ClientInformation,
  DeviceAuthorization,
  Empty,
  formPage,
  introspectionResponse,
  KeySet,
  PushedAuthorizationResponse,
  ResourceMetadata,
  ServerMetadata,
  tokenResponse,
  UserInfo,
} from './responses.ts'

const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const RESOURCE = '/.well-known/oauth-protected-resource'

/** The well-known documents. A resource below the base URL, such as `/mcp`, has metadata of its own. */
function metadataDocuments({ baseUrl, resources }: DescribedServer): RouteConfig[] {
  const below = resources.flatMap((one) => (one.startsWith(`${baseUrl}/`) ? [one.slice(baseUrl.length)] : []))
  return [
    document(AUTHORIZATION_SERVER, 'serverMetadata', 'Server metadata (RFC 8414)', ServerMetadata),
    document(OPENID, 'openIdConfiguration', 'OpenID Connect Discovery', ServerMetadata),
    document(RESOURCE, 'resourceMetadata', 'Protected-resource metadata (RFC 9728)', ResourceMetadata),
    ...below.map((path) => {
      const id = `${path.slice(1).replaceAll(/[^A-Za-z0-9]+/g, '_')}ResourceMetadata`
      return document(RESOURCE + path, id, `The same for ${path}`, ResourceMetadata)
    }),
  ]
}

const KEY_SET: Operations = {
  'get /api/oauth/jwks': {
    operationId: 'keySet',
    tags: ['Discovery'],
    responses: responses('Public signing keys (RFC 7517)', KeySet),
  },
}

function document(path: string, operationId: string, summary: string, schema: Schema): RouteConfig {
  const operation = { operationId, tags: ['Discovery'], summary, security: [{}] }
  return { method: 'get', path, ...operation, responses: responses(summary, schema) }
}

function responses(summary: string, schema: Schema) {
  return { 200: json(summary, schema), 304: { description: 'It has not changed' } }
}

/** The OAuth endpoints that clients and resource servers call. @param named adds a schema to the document */
function clientEndpoints(
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
      request: { body: form(pushedRequest(server)) },
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
    'post /api/oauth/bc-authorize': {
      operationId: 'authenticateByBackchannel',
      description:
        'The user answers on a page of this server. Exchange `auth_req_id` every `interval` seconds until then.',
      responses: {
        200: json('What to poll with', BackchannelAuthentication),
        400: error('`invalid_binding_message`: more than 60 characters'),
        403: error('`access_denied`: the user wants no requests of this client'),
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

const EXAMPLE = {
  client_name: 'My tool',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1:8123/callback'],
  token_endpoint_auth_method: 'none',
}

const WITH_TOKEN = 'With an initial access token of the operator, for'
const WITHOUT_TOKEN = challenged(
  '`invalid_token`: the initial access token is missing, unknown, expired or used up',
)

/** Dynamic client registration (RFC 7591). @param named adds a schema to the document */
function registrationEndpoint(
  { mounted, known, registersWithToken }: DescribedServer,
  named: (name: string, schema: object) => { $ref: string },
): Operations {
  const message = messageOf(mounted, 'registration_endpoint')
  if (message === undefined) return {}
  const schema = named('ClientRegistration', registrationRequest(message))
  const rows = known.map(({ name, redirectUris }) => `\n- ${name}: ${redirectUris.join(' ')}`)
  const others =
    rows.length === 0
      ? 'A fixed https callback is rejected.'
      : `Any other is rejected, except those of known clients, exactly as written here:\n${rows.join('')}`
  return {
    'post /api/oauth/register': {
      operationId: 'registerClient',
      description: `${registersWithToken ? WITH_TOKEN : 'Open to'} clients whose redirect URIs are loopback addresses. ${others}`,
      ...(registersWithToken && { security: [{ [INITIAL_ACCESS_TOKEN]: [] }] }),
      request: { body: { required: true, content: { 'application/json': { schema, example: EXAMPLE } } } },
      responses: {
        201: json('Registered; the metadata as it took effect', ClientInformation),
        400: error('`invalid_redirect_uri`: such as one that is not a loopback address'),
        ...(registersWithToken && { 401: WITHOUT_TOKEN }),
        ...BODY_ERRORS,
      },
    },
  }
}

const TO_SIGN_IN = { 303: 'To the sign-in page' }
const CLIENT = 'the client with `code` or `error`, `state` and `iss`'
const LOGGED_OUT = { 303: 'To `post_logout_redirect_uri`, with `state`' }
const INCONSISTENT = { 400: 'A page: the request does not hold together, and nothing happened' }
const EXPIRED = { 400: 'A page: the form has expired or is not of this session' }
const requestId = { name: 'request', in: 'query', required: true, schema: { type: 'string' } } as const

/** The OAuth endpoints that the browser of the user opens. */
function pageEndpoints(server: DescribedServer): Operations {
  const request = authorizationRequest(server)
  const authorization = {
    200: 'The consent page',
    303: `To the sign-in page, or to ${CLIENT}`,
    400: 'A page: the client or its redirect URI is not known',
  }
  return {
    'get /oauth/authorize': {
      operationId: 'authorize',
      description: 'For the browser of the user.',
      parameters: queryOf(request),
      responses: browserPage(authorization),
    },
    'post /oauth/authorize': {
      operationId: 'authorizeByForm',
      summary: 'Ask the user, by a form (OpenID Connect Core 3.1.2.1)',
      request: { body: form(request) },
      responses: formPage(authorization),
    },
    'post /oauth/consent': {
      operationId: 'answerConsent',
      responses: formPage({ 303: `To ${CLIENT}`, ...EXPIRED }),
    },
    'get /oauth/device': {
      operationId: 'userCodePage',
      description: 'For the browser of the user.',
      parameters: [],
      responses: browserPage({ 200: 'A page with a form', ...TO_SIGN_IN }),
    },
    'post /oauth/device': {
      operationId: 'enterUserCode',
      responses: formPage({
        200: 'A page that asks the user',
        ...TO_SIGN_IN,
        400: 'The page again: the code is not valid, or the form has expired',
        429: 'A page: too many codes were tried',
      }),
    },
    'post /oauth/device/decision': {
      operationId: 'answerDevice',
      parameters: [requestId],
      responses: formPage({ 200: 'A page: the device has access, or was denied', ...TO_SIGN_IN, ...EXPIRED }),
    },
    'get /oauth/requests': {
      operationId: 'requestsPage',
      description: 'For the browser of the user. With `request`: the page of one request.',
      parameters: [],
      responses: browserPage({ 200: 'A page', ...TO_SIGN_IN, 404: 'A page: the user has no such request' }),
    },
    'post /oauth/requests': {
      operationId: 'unblockClient',
      responses: formPage({ 200: 'The page again', ...TO_SIGN_IN, ...EXPIRED }),
    },
    'post /oauth/requests/decision': {
      operationId: 'answerRequest',
      parameters: [requestId],
      responses: formPage({ 200: 'A page: the client has access, or was denied', ...TO_SIGN_IN, ...EXPIRED }),
    },
    'get /oauth/logout': {
      operationId: 'logOut',
      description: 'For the browser of the user.',
      responses: browserPage({
        200: 'A page that asks the user, or says that no user is signed in',
        ...LOGGED_OUT,
        ...INCONSISTENT,
      }),
    },
    'post /oauth/logout': {
      operationId: 'logOutByForm',
      responses: formPage({ 303: 'To the same request as a query', ...INCONSISTENT }),
    },
    'post /oauth/logout/confirm': {
      operationId: 'confirmLogOut',
      responses: formPage({ 200: 'A page: the user is signed out', ...LOGGED_OUT, ...EXPIRED }),
    },
  }
}

/** What a service says of itself in the document. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly license?: { readonly name: string; readonly url: string }
  /** Tags next to those of the server, with their descriptions. */
  readonly tags?: Readonly<Record<string, string>>
}

/** The authorization server of a service with this configuration. @param known the known clients that are on */
export function describedServer(
  { config, description }: Pick<MountContext, 'config' | 'description'>,
  known: readonly KnownClient[],
): DescribedServer {
  const { baseUrl, scopes, features } = config
  const registersWithToken = features.registration && features.initialAccessTokens
  const bindsTokens = features.dpop.mode !== 'off'
  const signsRequests = features.requestObjects !== 'off'
  const resources = Object.keys(config.resources)
  const parts = { bindsTokens, signsRequests, registersWithToken, known, mounted: description }
  return { baseUrl, scopes, resources, ...parts }
}

const TAGS = {
  OAuth: 'Register, authorize, exchange, refresh, revoke.',
  Discovery: 'Metadata documents for clients.',
  Pages: 'What a person sees in a browser.',
  Health: 'For operators.',
}

/** The OpenAPI 3.0 document of a service. @param app with all of its routes */
export function openApiDocument(
  app: OpenAPIHono<BlankEnv>,
  server: DescribedServer,
  { tags, ...info }: OpenApiInfo,
): object {
  const document = oauthEndpoints(server)
    .route('/', app)
    .getOpenAPIDocument({
      openapi: '3.0.3',
      info,
      servers: [{ url: server.baseUrl }],
      tags: Object.entries({ ...TAGS, ...tags }).map(([name, description]) => ({ name, description })),
    })
  const operations = Object.values(document.paths).flatMap<Operation>(Object.values)
  if (server.bindsTokens) addProofs(operations)
  return document
}

interface Operation {
  readonly operationId?: string
  readonly security?: readonly object[]
  parameters?: readonly object[]
}

const PROOF = {
  name: 'DPoP',
  in: 'header',
  required: false,
  description: 'A proof of the key that the tokens are bound to (RFC 9449 4)',
  schema: { type: 'string' },
}

/** The token request and every operation with an access token have a `DPoP` header. */
function addProofs(operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { operationId, security = [], parameters = [] } = operation
    const takesToken = security.some((scheme) => Object.hasOwn(scheme, 'oauth2'))
    if (takesToken || operationId === 'exchangeToken') operation.parameters = [...parameters, PROOF]
  }
}

/** The OAuth endpoints, which core routes itself: an application without handlers, with their part of the document. */
export function oauthEndpoints(server: DescribedServer): OpenAPIHono {
  const app = new OpenAPIHono()
  const { openAPIRegistry: registry } = app
  const named = (name: string, schema: object) => registry.registerComponent('schemas', name, schema).ref
  const operations = {
    ...pageEndpoints(server),
    ...clientEndpoints(server, named),
    ...registrationEndpoint(server, named),
    ...KEY_SET,
  }
  for (const endpoint of server.mounted.endpoints)
    for (const method of endpoint.methods)
      registry.registerPath(operationOf(endpoint, method === 'POST' ? 'post' : 'get', server, operations))
  for (const document of metadataDocuments(server)) registry.registerPath(document)
  registry.registerComponent('securitySchemes', 'oauth2', oauthScheme(server))
  if (server.registersWithToken)
    registry.registerComponent('securitySchemes', INITIAL_ACCESS_TOKEN, INITIAL_ACCESS_TOKEN_SCHEME)
  return app
}

/** The description by core, which is enough for the endpoints of other packages. */
function operationOf(
  { path, summary = path, message, clients }: EndpointDescription,
  method: 'get' | 'post',
  { mounted }: DescribedServer,
  operations: Operations,
): RouteConfig {
  const schema = clients === undefined ? message && schemaOf(message) : clientForm(message, mounted)
  const sent =
    schema && (method === 'post' ? { request: { body: form(schema) } } : { parameters: queryOf(schema) })
  return {
    ...{ method, path, summary, tags: ['OAuth'], security: [{}] },
    operationId: `${method}${path.replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    ...sent,
    responses: {
      200: json('Done', { type: 'object' }),
      400: error('`invalid_request`: the request is malformed'),
      ...(clients === undefined ? { 503: UNAVAILABLE } : CLIENT_ERRORS),
    },
    ...operations[`${method} ${path}`],
  }
}
