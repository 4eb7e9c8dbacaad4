import { get, postForm, postJson } from '../src/http-text.ts'
import {
  authorizeWork,
  codeWork,
  introspectWork,
  metadataWork,
  protectedWork,
  refreshWork,
  repeated,
} from '../src/requests.ts'
import { authorizationQuery, CLIENT_METADATA, SCOPE, SUBJECT } from '../src/sample.ts'
import type { Target } from '../src/target.ts'

/** The answers of a bare framework without OAuth: as many bytes as Grantkit sends, for a parsed request. */

const id = '0123456789abcdefghijkl'
export const clientId = '0123456789abcdef0123456789abcdef'
const secret = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

/** Grantkit sends these headers at its endpoints, so they are sent here too. A guarded route adds none of them. */
export const HEADERS = {
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag',
}

/** With what leads a browser. */
export const PAGE_HEADERS = {
  'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

const { pragma: __, ...CACHED } = HEADERS
export const METADATA_HEADERS = {
  ...CACHED,
  'cache-control': 'public, max-age=3600',
  etag: `"${secret}"`,
}

export const REGISTRATION = {
  client_id: clientId,
  client_id_issued_at: 1_800_000_000,
  ...CLIENT_METADATA,
  application_type: 'native',
  id_token_signed_response_alg: 'RS256',
}

export const TOKENS = {
  access_token: `gka_${id}.${secret}`,
  token_type: 'Bearer',
  expires_in: 3600,
  scope: SCOPE,
  refresh_token: `gkr_${id}.${id}.1.${secret}`,
}

export const DESCRIPTION = {
  active: true,
  scope: SCOPE,
  client_id: clientId,
  sub: SUBJECT,
  aud: 'http://127.0.0.1:40000',
  iss: 'http://127.0.0.1:40000',
  iat: 1_800_000_000,
  exp: 1_800_003_600,
  token_type: 'Bearer',
}

export const NOTES = { owner: SUBJECT }

const { refresh_token: _, ...MACHINE_TOKENS } = TOKENS

/** The tokens for a form. It checks one field, so that a lazy parser gains nothing. */
export function tokensFor(grantType: unknown): object {
  if (typeof grantType !== 'string') throw new Error('No grant_type')
  return grantType === 'client_credentials' ? MACHINE_TOKENS : TOKENS
}

export function descriptionFor(token: unknown): object {
  if (typeof token !== 'string') throw new Error('No token')
  return DESCRIPTION
}

export function notesFor(authorization: unknown): object {
  if (typeof authorization !== 'string' || !authorization.startsWith('Bearer ')) throw new Error('No token')
  return NOTES
}

const code = `gkc_${id}.${secret}`

export const limitTarget: Target = {
  work: {
    register: repeated(postJson('/register', CLIENT_METADATA)),
    code: codeWork('/token', clientId, () => code),
    refresh: refreshWork('/token', clientId, () => TOKENS.refresh_token),
    protected: protectedWork('/notes', () => TOKENS.access_token),
    introspect: introspectWork(
      '/introspect',
      { client_id: clientId, client_secret: secret },
      () => TOKENS.access_token,
    ),
  },
}

export const PENDING = { error: 'authorization_pending', error_description: 'd'.repeat(28) }

/** A consent page, which is only a ticket, and a pushed request, which is sealed in its name. */
export const TICKET = 't'.repeat(120)
export const REQUEST_URI = `urn:ietf:params:oauth:request_uri:${'r'.repeat(440)}`

/** As many bytes as the metadata of the quick start, and as the answer of the MCP server of the reference service. */
export const METADATA = JSON.stringify({ issuer: 'i'.repeat(1500) })
export const TOOL_ANSWER = {
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: 't'.repeat(900) }] },
}
const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'read_courses', arguments: { id: clientId } },
}

/** What a client shows instead of a secret (RFC 7523), and what a sender shows besides its token (RFC 9449). */
const SIGNED = 's'.repeat(400)
const authorization = `Bearer ${TOKENS.access_token}`
const parameters = Object.fromEntries(new URLSearchParams(authorizationQuery(clientId)))

const clientCredentialsForm = { grant_type: 'client_credentials', client_id: clientId }
const pollForm = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: clientId }

/** For the framework that is the yardstick of all: every workload, with one path for each algorithm. */
export const yardstickTarget: Target = {
  work: {
    ...limitTarget.work,
    authorize: authorizeWork('/authorize', clientId),
    'authorize-document': repeated(get(`/consent?${authorizationQuery(clientId)}`, { cookie: 'user=alice' })),
    userinfo: protectedWork('/userinfo', () => TOKENS.access_token),
    'mcp-call': repeated(postJson('/mcp', TOOL_CALL, { authorization })),
    'client-credentials': repeated(postForm('/token', { ...clientCredentialsForm, client_secret: secret })),
    'client-assertion': repeated(postForm('/token', { ...clientCredentialsForm, client_assertion: SIGNED })),
    'device-poll': repeated(postForm('/poll', { ...pollForm, device_code: code })),
    push: repeated(postForm('/par', parameters)),
    'protected-dpop': repeated(get('/notes', { authorization, dpop: SIGNED })),
    'protected-jwt': repeated(get('/notes', { authorization: `Bearer ${SIGNED}` })),
    metadata: metadataWork(),
    'id-token-rs256': codeWork('/token/RS256', clientId, () => code),
    'id-token-es256': codeWork('/token/ES256', clientId, () => code),
  },
}
