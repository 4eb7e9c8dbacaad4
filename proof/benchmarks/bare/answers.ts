import { COURSE, mcpCalls, toolResult } from '../src/mcp-call.ts'
import { bearerGets, get, pushedRequest, SCOPE, SUBJECT, targetOf } from '../src/requests.ts'
import type { Target } from '../src/workloads.ts'

/** The answers of a framework without OAuth: as many bytes as Grantkit sends, for a parsed request. */

const id = '0123456789abcdefghijkl'
const client_id = '0123456789abcdef0123456789abcdef'
const client_secret = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

/** Grantkit sends these headers at its endpoints, so they are sent here too. */
const HEADERS = {
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag',
}

const TOKENS = {
  access_token: `gka_${id}.${client_secret}`,
  token_type: 'Bearer',
  expires_in: 3600,
  scope: SCOPE,
  refresh_token: `gkr_${id}.${id}.1.${client_secret}`,
}

const DESCRIPTION = {
  active: true,
  scope: SCOPE,
  client_id,
  sub: SUBJECT,
  aud: 'http://127.0.0.1:40000',
  iss: 'http://127.0.0.1:40000',
  iat: 1_800_000_000,
  exp: 1_800_003_600,
  token_type: 'Bearer',
}

const PUSHED = { request_uri: `urn:ietf:params:oauth:request_uri:${'r'.repeat(440)}`, expires_in: 60 }

interface BareAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** The answer to a form. It checks one field, so that a lazy parser gains nothing. */
type FormAnswer = BareAnswer & { readonly field: string }

export const FORMS: Readonly<Record<string, FormAnswer>> = {
  '/token': { field: 'grant_type', status: 200, headers: HEADERS, body: TOKENS },
  '/introspect': { field: 'token', status: 200, headers: HEADERS, body: DESCRIPTION },
  '/par': { field: 'code_challenge', status: 201, headers: HEADERS, body: PUSHED },
}

/** The answer of the service to a call of a tool. It checks one member of the message. */
export const MCP: FormAnswer = {
  field: 'method',
  status: 200,
  headers: HEADERS,
  body: {
    result: {
      ...toolResult({ item: COURSE }),
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'harbour-school', title: 'Harbour School' } },
    },
    jsonrpc: '2.0',
    id: 1,
  },
}

/** What a bearer token opens. A guarded route of an application has no headers of Grantkit. */
export const GUARDED: Readonly<Record<string, BareAnswer>> = {
  '/notes': { status: 200, headers: { 'content-type': 'application/json' }, body: { owner: SUBJECT } },
  '/userinfo': { status: 200, headers: HEADERS, body: { sub: `${SUBJECT}-0`, name: 'Alice' } },
}

export function requireText(value: unknown): void {
  if (typeof value !== 'string') throw new Error('A parameter or a header is missing')
}

/** What a sender shows besides its token (RFC 9449), or as one (RFC 9068). */
const SIGNED = 's'.repeat(400)
const bound = get('/notes', { authorization: `DPoP ${TOKENS.access_token}`, dpop: SIGNED })

const plain = targetOf({
  clientId: client_id,
  newCode: () => `gkc_${id}.${client_secret}`,
  newTokens: () => TOKENS,
  notes: '/notes',
  introspection: { path: '/introspect', client: { client_id, client_secret } },
  userinfo: { path: '/userinfo', newTokens: () => TOKENS },
})

export const bareTarget: Target = {
  workloads: {
    ...plain.workloads,
    jwt: bearerGets('/notes', () => ({ access_token: SIGNED })),
    dpop: (count) => Array<string>(count).fill(bound),
    par: pushedRequest('/par', client_id),
    mcp: mcpCalls('/mcp', () => TOKENS),
  },
}
