import { createHash } from 'node:crypto'
import type { HttpRequest } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { type Clients, ISSUER, REDIRECT_URI } from './service.ts'

/** The requests of the app, its user and its API. */

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function post(path: string, fields: Readonly<Record<string, string>>, query = ''): HttpRequest {
  return { method: 'POST', path, query, headers: FORM, body: encoded(fields) }
}

function page(path: string, cookie: string, query = ''): HttpRequest {
  return { method: 'GET', path, query, headers: { cookie }, body: '' }
}

/** `URLSearchParams` takes a tenth of a request. */
function encoded(fields: Readonly<Record<string, string>>): string {
  let text = ''
  for (const name in fields) text += `&${name}=${encodeURIComponent(fields[name] ?? '')}`
  return text.slice(1)
}

/** The form of a page of the server. */
export interface PageForm {
  readonly action: string
  readonly ticket: string
}

export interface Wanted {
  readonly cookie: string
  readonly verifier: string
  readonly scope: string
}

export function authorizationRequest({ app }: Clients, { cookie, verifier, scope }: Wanted): HttpRequest {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const parameters = {
    ...{ response_type: 'code', client_id: app, redirect_uri: REDIRECT_URI, scope, state: 'state' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  }
  return page('/oauth/authorize', cookie, encoded(parameters))
}

/** The form of a consent page, or of the page on which a user decides about a device. */
export function consentRequest(
  { action, ticket, scope }: PageForm & { readonly scope: string },
  cookie: string,
  decision: 'allow' | 'deny',
): HttpRequest {
  const { pathname, search } = new URL(action, ISSUER)
  const request = post(pathname, { ticket, decision }, search.slice(1))
  const scopes = scope.split(' ').map((name) => `scope=${encodeURIComponent(name)}`)
  return { ...request, headers: { ...FORM, cookie }, body: [request.body, ...scopes].join('&') }
}

export function deviceRequest({ app }: Clients, scope: string): HttpRequest {
  return post('/api/oauth/device_authorization', { client_id: app, scope })
}

export function codePageRequest(cookie: string): HttpRequest {
  return page('/oauth/device', cookie)
}

export function userCodeRequest(
  { action, ticket }: PageForm,
  cookie: string,
  user_code: string,
): HttpRequest {
  return { ...post(action, { ticket, user_code }), headers: { ...FORM, cookie } }
}

export function pollRequest({ app }: Clients, device_code: string): HttpRequest {
  return post('/api/oauth/token', { grant_type: DEVICE_CODE_GRANT, device_code, client_id: app })
}

export function redemption({ app }: Clients, code: string, code_verifier: string): HttpRequest {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier }
  return post('/api/oauth/token', { ...fields, client_id: app })
}

export function refreshRequest({ app }: Clients, refresh_token: string): HttpRequest {
  return post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: app })
}

export function exchangeRequest({ app }: Clients, subject_token: string): HttpRequest {
  const fields = { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN_TYPE }
  return post('/api/oauth/token', { ...fields, scope: 'notes:read', client_id: app })
}

export function revocationRequest({ app }: Clients, token: string): HttpRequest {
  return post('/api/oauth/revoke', { token, client_id: app })
}

export function introspectionRequest({ api }: Clients, token: string): HttpRequest {
  return post('/api/oauth/introspect', { token, client_id: api.id, client_secret: api.secret })
}

export function apiRequest(token: string): HttpRequest {
  return { method: 'GET', path: '/notes', query: '', headers: { authorization: `Bearer ${token}` }, body: '' }
}
