import {
  errorAnswer,
  formBody,
  type Json,
  jsonAnswer,
  type Operation,
  redirectAnswer,
  ref,
  type Tag,
  textAnswer,
} from './operation.ts'

const FILE: Json = { name: 'file', in: 'path', required: true, schema: { type: 'string' } }

/** Documents and pages, one line per path. */
export const DOCUMENT_OPERATIONS: readonly Operation[] = [
  document(
    '/.well-known/oauth-authorization-server',
    'serverMetadata',
    'Server metadata (RFC 8414)',
    ref('ServerMetadata'),
  ),
  document(
    '/.well-known/openid-configuration',
    'openIdConfiguration',
    'OpenID Connect Discovery',
    ref('ServerMetadata'),
  ),
  document(
    '/.well-known/oauth-protected-resource',
    'resourceMetadata',
    'Protected-resource metadata (RFC 9728)',
    ref('ResourceMetadata'),
  ),
  document(
    '/.well-known/oauth-protected-resource/mcp',
    'mcpResourceMetadata',
    'The same for /mcp',
    ref('ResourceMetadata'),
  ),
  document('/api/oauth/jwks', 'keySet', 'Public signing keys (RFC 7517)', ref('KeySet')),
  document('/openapi.json', 'openApi', 'This description', { type: 'object' }),
  text('/auth.md', 'authWalkthrough', 'How to get and use a token', 'text/markdown'),
  text('/llms.txt', 'llmsText', 'Index of the content for agents', 'text/markdown'),
  text('/pricing.md', 'pricing', 'What the school sells', 'text/markdown'),
  page('/', 'home', 'The start page'),
  page('/docs', 'docs', 'This description, for people'),
  text('/docs/{file}', 'docsFile', 'A part of the viewer', '*/*', [FILE]),
  text('/assets/style.css', 'stylesheet', 'How pages look', 'text/css'),
  text('/assets/icon.svg', 'icon', 'The sign of the school', 'image/svg+xml'),
  page('/login', 'signInPage', 'The sign-in page'),
  {
    ...page('/login', 'signIn', 'Sign in, by the form of the page'),
    method: 'post',
    requestBody: form(['email', 'password', 'token', 'return_to']),
    responses: {
      '303': redirectAnswer('Signed in; back to where the user came from'),
      '401': textAnswer('Wrong password', 'text/html'),
      '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
      '503': textAnswer('The store cannot be reached', 'text/html'),
      '429': textAnswer('Too many attempts', 'text/html'),
    },
  },
  {
    ...page('/account', 'accountPage', 'What the user allowed which app'),
    responses: {
      '200': textAnswer('Connected apps and recent sign-ins', 'text/html'),
      '303': redirectAnswer('Nobody is signed in; to the sign-in page'),
      '503': textAnswer('The store cannot be reached', 'text/html'),
    },
  },
  {
    ...page('/account', 'disconnectApp', 'Disconnect an app, by the form of the page'),
    method: 'post',
    requestBody: form(['client_id', 'token']),
    responses: {
      '303': redirectAnswer('Disconnected; back to the page. Or nobody is signed in; to the sign-in page'),
      '403': textAnswer('The form has expired, or another site sent it', 'text/html'),
    },
  },
  page('/logout', 'signOutPage', 'The sign-out page'),
  {
    ...page('/logout', 'signOut', 'Sign out, by the form of the page'),
    method: 'post',
    requestBody: form(['return_to']),
    responses: {
      '303': redirectAnswer('Signed out; to the sign-in page'),
      '403': errorAnswer('Another site sent the form', 'invalid_request', 'Another site sent this form'),
    },
  },
  probe('/healthz', 'health', 'The process answers', {}),
  probe('/readyz', 'readiness', 'The service can do its work', {
    '503': jsonAnswer('Not ready', ref('Status'), { status: 'not ready' }),
  }),
]

function document(path: string, operationId: string, summary: string, schema: Json): Operation {
  const responses = { '200': jsonAnswer(summary, schema), '304': { description: 'It has not changed' } }
  return read(path, operationId, summary, 'Discovery', responses)
}

function text(
  path: string,
  operationId: string,
  summary: string,
  mediaType: string,
  parameters: readonly Json[] = [],
): Operation {
  const missing =
    parameters.length > 0
      ? { '404': errorAnswer('There is no such file', 'not_found', 'There is no such file') }
      : {}
  return {
    ...read(path, operationId, summary, 'Discovery', { '200': textAnswer(summary, mediaType), ...missing }),
    parameters,
  }
}

function page(path: string, operationId: string, summary: string): Operation {
  return read(path, operationId, summary, 'Pages', { '200': textAnswer(summary, 'text/html') })
}

function probe(path: string, operationId: string, summary: string, more: Operation['responses']): Operation {
  return read(path, operationId, summary, 'Health', {
    '200': jsonAnswer(summary, ref('Status'), { status: 'ok' }),
    ...more,
  })
}

function read(
  path: string,
  operationId: string,
  summary: string,
  tag: Tag,
  responses: Operation['responses'],
): Operation {
  return { path, method: 'get', operationId, tag, summary, security: [{}], responses }
}

/** A page needs no form to answer: it sends its caller to sign in, or shows the form. */
function form(names: readonly string[]): Json {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { ...(formBody({ type: 'object', properties }) as object), required: false }
}
