/** A name and a value. The request decides whether they are percent-encoded. */
export type Pair = readonly [name: string, value: string]

/**
 * A request that a good client might send. `{name}` is a placeholder for a current credential, so a seed repeats the
 * same requests with any credentials.
 */
export interface GoodRequest {
  readonly method: string
  readonly path: string
  readonly query?: readonly Pair[]
  readonly headers?: readonly Pair[]
  readonly form?: readonly Pair[]
  readonly text?: string
}

const FORM: Pair = ['Content-Type', 'application/x-www-form-urlencoded']
const JSON_TYPE: Pair = ['Content-Type', 'application/json']
const BEARER: Pair = ['Authorization', 'Bearer {access_token}']
const SESSION: Pair = ['Cookie', '{session}']
const MCP = [JSON_TYPE, ['Accept', 'application/json, text/event-stream']] as const

const AUTHORIZATION: readonly Pair[] = [
  ['response_type', 'code'],
  ['client_id', '{client_id}'],
  ['redirect_uri', '{redirect_uri}'],
  ['scope', 'openid profile courses:read'],
  ['state', 'st-4711'],
  ['code_challenge', '{challenge}'],
  ['code_challenge_method', 'S256'],
  ['nonce', 'n-4711'],
]
const OPTIONAL: readonly Pair[] = [
  ['resource', '{base}/mcp'],
  ['prompt', 'consent'],
  ['max_age', '600'],
  ['login_hint', 'alice@school.example'],
  ['ui_locales', 'de'],
  ['id_token_hint', '{id_token}'],
  ['response_mode', 'query'],
]
const CLIENT: Pair = ['client_id', '{client_id}']
const CONFIDENTIAL: readonly Pair[] = [
  ['client_id', '{confidential_id}'],
  ['client_secret', '{confidential_secret}'],
]
const REGISTRATION = JSON.stringify({
  redirect_uris: ['http://127.0.0.1:7001/cb', 'http://[::1]/cb'],
  client_name: 'Notes',
  application_type: 'native',
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid courses:read',
  client_uri: 'https://app.example',
  contacts: ['a@app.example'],
})
const MCP_2026 = [
  ...MCP,
  ['mcp-protocol-version', '2026-07-28'],
  ['mcp-method', 'tools/call'],
  ['mcp-name', 'search_courses'],
] as const
const META_2026 = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const toolCall = (more: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_courses', arguments: { query: 'bread' }, ...more },
  })

const post = (path: string, form: readonly Pair[], ...headers: Pair[]): GoodRequest => ({
  method: 'POST',
  path,
  form,
  headers: [FORM, ...headers],
})
const get = (path: string, ...headers: Pair[]): GoodRequest => ({ method: 'GET', path, headers })
const json = (method: string, path: string, text: string, ...headers: Pair[]): GoodRequest => ({
  method,
  path,
  text,
  headers: [JSON_TYPE, ...headers],
})

/** At least one for every endpoint and page. */
export const GOOD_REQUESTS: readonly GoodRequest[] = [
  { ...get('/oauth/authorize', SESSION), query: AUTHORIZATION },
  { ...get('/oauth/authorize', SESSION), query: [...AUTHORIZATION, ...OPTIONAL] },
  { ...get('/oauth/authorize'), query: AUTHORIZATION },
  post('/oauth/authorize', AUTHORIZATION, SESSION),
  {
    ...post(
      '/oauth/consent',
      [
        ['ticket', '{ticket}'],
        ['decision', 'allow'],
        ['scope', 'profile'],
      ],
      SESSION,
    ),
    query: AUTHORIZATION,
  },
  post('/api/oauth/token', [
    ['grant_type', 'authorization_code'],
    CLIENT,
    ['code', '{code}'],
    ['redirect_uri', '{redirect_uri}'],
    ['code_verifier', '{verifier}'],
  ]),
  post('/api/oauth/token', [['grant_type', 'refresh_token'], CLIENT, ['refresh_token', '{refresh_token}']]),
  post('/api/oauth/token', [
    ['grant_type', 'refresh_token'],
    ...CONFIDENTIAL,
    ['refresh_token', '{confidential_refresh_token}'],
  ]),
  post('/api/oauth/revoke', [['token', '{spare_token}'], ['token_type_hint', 'access_token'], CLIENT]),
  post('/api/oauth/introspect', [['token', '{access_token}'], ...CONFIDENTIAL]),
  json('POST', '/api/oauth/register', REGISTRATION),
  get('/api/oauth/userinfo', BEARER),
  post('/api/oauth/userinfo', [], BEARER),
  ...['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/api/oauth/jwks'].map(
    (path) => get(path, ['If-None-Match', '"x"']),
  ),
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'].map((path) =>
    get(path),
  ),
  {
    ...get('/login'),
    query: [
      ['return_to', '/'],
      ['login_hint', 'alice@school.example'],
    ],
  },
  post(
    '/login',
    [
      ['token', '{sign_in_token}'],
      ['return_to', '/'],
      ['email', 'alice@school.example'],
      ['password', 'guess'],
    ],
    ['Cookie', '{sign_in_cookie}'],
  ),
  { ...get('/logout', SESSION), query: [['return_to', '/oauth/authorize?a=b']] },
  post('/logout', [['return_to', '/']], SESSION),
  {
    ...get('/api/courses', BEARER),
    query: [
      ['limit', '10'],
      ['offset', '0'],
    ],
  },
  get('/api/students', ['Authorization', 'Bearer {other_token}']),
  get('/api/courses/course-1', BEARER),
  json('POST', '/api/courses', '{"title":"Sailing"}', BEARER),
  json('PATCH', '/api/courses/course-1', '{"title":"Sailing"}', BEARER),
  { ...get('/api/courses/course-1', BEARER), method: 'DELETE' },
  { method: 'POST', path: '/mcp', headers: [...MCP, BEARER], text: toolCall() },
  { method: 'POST', path: '/mcp', headers: MCP_2026, text: toolCall({ _meta: META_2026 }) },
  { method: 'POST', path: '/mcp', headers: MCP, text: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
  ...['/', '/openapi.json', '/docs', '/auth.md', '/llms.txt', '/pricing.md', '/healthz', '/readyz'].map(
    (path) => get(path),
  ),
  get('/assets/icon.svg'),
]
