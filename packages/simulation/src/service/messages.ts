import { createHash } from 'node:crypto'
import type { HttpRequest } from '@grantkit/core'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { type Clients, ISSUER, REDIRECT_URI, SCOPE } from './service.ts'

/** The requests of the app, its user and its API. */

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function post(path: string, fields: Readonly<Record<string, string>>, query = ''): HttpRequest {
  return { method: 'POST', path, query, headers: FORM, body: String(new URLSearchParams(fields)) }
}

export interface AuthorizationForm {
  readonly action: string
  readonly ticket: string
}

export function authorizationRequest({ app }: Clients, cookie: string, verifier: string): HttpRequest {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const parameters = {
    ...{ response_type: 'code', client_id: app, redirect_uri: REDIRECT_URI, scope: SCOPE, state: 'state' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  }
  const query = String(new URLSearchParams(parameters))
  return { method: 'GET', path: '/oauth/authorize', query, headers: { cookie }, body: '' }
}

export function consentRequest(
  { action, ticket }: AuthorizationForm,
  cookie: string,
  decision: 'allow' | 'deny',
): HttpRequest {
  const { pathname, search } = new URL(action, ISSUER)
  const request = post(pathname, { ticket, decision }, search.slice(1))
  const scopes = SCOPE.split(' ').map((scope) => `scope=${encodeURIComponent(scope)}`)
  return { ...request, headers: { ...FORM, cookie }, body: [request.body, ...scopes].join('&') }
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
