import type { GoodRequest, Pair } from './requests.ts'

/** Config that mount every route which the service can have. */
export const EVERY_ROUTE = {
  CLIENT_CREDENTIALS: 'on',
  DEVICE_GRANT: 'all',
  BACKCHANNEL_AUTHENTICATION: 'on',
  DPOP: 'on',
  FORWARD_AUTH: 'on',
  JWT_ACCESS_TOKENS: 'on',
  LOGOUT: 'on',
  PAR: 'on',
  TOKEN_EXCHANGE: 'on',
}

/** A provider that does not respond. */
export const UPSTREAM = {
  providers: [
    {
      id: 'partner',
      label: 'Partner',
      issuer: 'http://127.0.0.1:1',
      clientId: 'harbour',
      clientSecret: 'the secret of the school',
    },
  ],
}

const FORM: Pair = ['Content-Type', 'application/x-www-form-urlencoded']
const JSON_TYPE: Pair = ['Content-Type', 'application/json']
const SESSION: Pair = ['Cookie', '{session}']
const OPERATOR: Pair = ['Cookie', '{bob_session}']
const BEARER: Pair = ['Authorization', 'Bearer {access_token}']
const SAME_SITE: Pair = ['Sec-Fetch-Site', 'same-origin']
const MCP: readonly Pair[] = [JSON_TYPE, ['Accept', 'application/json, text/event-stream']]
const TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const CONFIDENTIAL: readonly Pair[] = [
  ['client_id', '{confidential_id}'],
  ['client_secret', '{confidential_secret}'],
]
const PUSHED: readonly Pair[] = [
  ['client_id', '{client_id}'],
  ['response_type', 'code'],
  ['redirect_uri', '{redirect_uri}'],
  ['scope', 'openid courses:read'],
  ['code_challenge', '{challenge}'],
  ['code_challenge_method', 'S256'],
]

const post = (path: string, form: readonly Pair[], ...headers: Pair[]): GoodRequest => ({
  method: 'POST',
  path,
  form,
  headers: [FORM, ...headers],
})
const get = (path: string, ...headers: Pair[]): GoodRequest => ({ method: 'GET', path, headers })

/** What `GOOD_REQUESTS` leave out: the routes of `EVERY_ROUTE`, and the pages of users and operators who are signed in. */
export const FURTHER_REQUESTS: readonly GoodRequest[] = [
  post('/api/oauth/par', PUSHED),
  post('/api/oauth/token', [['grant_type', 'client_credentials'], ...CONFIDENTIAL]),
  post('/api/oauth/token', [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['subject_token', '{access_token}'],
    ['subject_token_type', 'urn:ietf:params:oauth:token-type:access_token'],
    ...CONFIDENTIAL,
  ]),
  post('/api/oauth/token', [['grant_type', 'password'], ...CONFIDENTIAL], ['DPoP', 'e30.e30.e30']),
  post('/api/oauth/device_authorization', [
    ['client_id', '{client_id}'],
    ['scope', 'openid courses:read'],
  ]),
  get('/oauth/device'),
  get('/oauth/device', SESSION),
  post('/oauth/device', [['user_code', 'BCDF-GHJK']], SESSION, SAME_SITE),
  post('/oauth/device/decision', [['decision', 'allow']], SESSION, SAME_SITE),
  get('/oauth/requests', SESSION),
  post('/oauth/requests', [['client_id', 'x']], SESSION, SAME_SITE),
  post('/oauth/requests/decision', [['decision', 'allow']], SESSION, SAME_SITE),
  post('/api/oauth/bc-authorize', [['scope', 'openid'], ['login_hint', 'alice-id'], ...CONFIDENTIAL]),
  { ...get('/oauth/logout', SESSION), query: [['client_id', '{client_id}']] },
  post('/oauth/logout/confirm', [['ticket', 'x']], SESSION, SAME_SITE),
  { ...get('/api/oauth/verify', BEARER), query: [['scope', 'courses:read']] },
  post('/api/oauth/ended', CONFIDENTIAL),
  post(
    '/login',
    [
      ['token', '{sign_in_token}'],
      ['return_to', '/account'],
      ['email', 'alice@school.example'],
      ['password', '{password}'],
    ],
    ['Cookie', '{sign_in_cookie}'],
  ),
  post('/login/with/partner', [['token', '{sign_in_token}']], ['Cookie', '{sign_in_cookie}']),
  get('/login/with/partner/callback'),
  post('/login/with/partner/callback', [['state', 'x']]),
  get('/assets/post-again.js'),
  get('/login/passkey'),
  get('/docs/start.js'),
  ...['/account', '/account/passkeys'].map((path) => get(path, OPERATOR)),
  get('/oauth/logout', SESSION),
  ...['/admin', '/admin/users', '/admin/clients', '/admin/trail'].map((path) => get(path, OPERATOR)),
  { ...get('/admin/user', OPERATOR), query: [['id', 'bob-id']] },
  { ...get('/admin/client', OPERATOR), query: [['id', '{other_client_id}']] },
  ...['/account/apps/name', '/account/sign-out', '/account/identities', '/account/identities/remove'].map(
    (path) => post(path, [['name', 'Mine']], OPERATOR, SAME_SITE),
  ),
  post('/account/passkeys/remove', [['id', 'x']], OPERATOR, SAME_SITE),
  ...['https://elsewhere.example', 'http://localhost:6274', '{base}'].map(
    (origin): GoodRequest => ({
      method: 'POST',
      path: '/mcp',
      headers: [...MCP, BEARER, ['Origin', origin]],
      text: TOOLS,
    }),
  ),
  { method: 'POST', path: '/mcp', headers: [JSON_TYPE, ['Accept', 'image/png'], BEARER], text: TOOLS },
]

const HEAD = 'Host: school.example\r\nConnection: close\r\n'
const POST = `POST /api/oauth/token HTTP/1.1\r\n${HEAD}Content-Type: ${FORM[1]}\r\n`
const SECOND = 'GET /api/oauth/jwks HTTP/1.1\r\nHost: a\r\n\r\n'

/** What no client of HTTP would write, and what Node still parses as a request. */
export const MALFORMED: readonly string[] = [
  'GET / HTTP/9.9\r\n\r\n',
  '\0\0\0\0\r\n\r\n',
  'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
  `GET no-path HTTP/1.1\r\n${HEAD}\r\n`,
  'GET /login HTTP/1.1\r\nConnection: close\r\n\r\n',
  'GET /login HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
  `${POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\na=1`,
  `${POST}Content-Length: -1\r\n\r\na=1`,
  `${POST}Content-Length: 99999999999999999999\r\n\r\na=1`,
  `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND}`,
  `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n3;${'x'.repeat(20_000)}\r\na=1\r\n0\r\n\r\n`,
  `${POST}Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\na=1`,
  `${POST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\na=1`,
  `${POST}Expect: nothing\r\nContent-Length: 3\r\n\r\na=1`,
  `GET https://school.example/healthz HTTP/1.1\r\n${HEAD}\r\n`,
  // Health checks send HTTP/1.0 without a Host.
  'GET /healthz HTTP/1.0\r\n\r\n',
  'GET /.well-known/oauth-authorization-server HTTP/1.0\r\n\r\n',
]
