import type { HttpResponse } from '@grantkit/core'
import { CHALLENGE, type Message, REDIRECT_URI, type School, VERIFIER } from './school.ts'

/** What a well-behaved client does, step by step, so that a test can do any one step differently. */

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly scope: string
  readonly expires_in: number
  readonly token_type: string
}

export interface ClientAnswer {
  readonly client_id: string
  readonly client_secret?: string | undefined
}

export function bodyOf<T = Record<string, unknown>>(response: HttpResponse): T {
  return JSON.parse(response.body) as T
}

export async function register(school: School, metadata: object = {}): Promise<ClientAnswer> {
  const json = { client_name: 'Test client', redirect_uris: [REDIRECT_URI], ...metadata }
  return bodyOf<ClientAnswer>(await school.send('POST', '/api/oauth/register', { json }))
}

/** A valid authorization request; an override of `undefined` leaves the parameter out. */
export function authorizationQuery(
  clientId: string,
  overrides: Record<string, string | undefined> = {},
): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile courses:read',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...overrides,
  }
  return String(
    new URLSearchParams(
      Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  )
}

export const ALICE = { cookie: 'user=alice' }

export function authorize(
  school: School,
  query: string,
  headers: Message['headers'] = ALICE,
): Promise<HttpResponse> {
  return school.send('GET', '/oauth/authorize', { query, headers })
}

/** Answers the consent page that was shown last. */
export function decide(
  school: School,
  form: Record<string, string> | [string, string][] = {},
  headers: Message['headers'] = ALICE,
): Promise<HttpResponse> {
  const view = school.shown.consent
  if (view === undefined) throw new Error('No consent page was shown')
  const [path = '', ...query] = view.action.split('?')
  const scopes = view.scopes.map(({ name }): [string, string] => ['scope', name])
  const fields = Array.isArray(form)
    ? form
    : Object.entries({ ticket: view.ticket, decision: 'allow', ...form })
  const chosen = Array.isArray(form) || 'scope' in form ? [] : scopes
  return school.send('POST', path, { query: query.join('?'), form: [...fields, ...chosen], headers })
}

export function redirectOf(response: HttpResponse): Record<string, string> {
  return Object.fromEntries(new URL(String(response.headers.location)).searchParams)
}

/** Sign in, consent, and the code of it. */
export async function codeFor(
  school: School,
  clientId: string,
  overrides: Record<string, string | undefined> = {},
): Promise<string> {
  await authorize(school, authorizationQuery(clientId, overrides))
  return redirectOf(await decide(school)).code ?? ''
}

export function requestToken(
  school: School,
  form: Record<string, string> | [string, string][],
): Promise<HttpResponse> {
  return school.send('POST', '/api/oauth/token', { form })
}

export function redeem(
  school: School,
  client: ClientAnswer,
  code: string,
  overrides: Record<string, string> = {},
): Promise<HttpResponse> {
  return requestToken(school, {
    grant_type: 'authorization_code',
    ...credentials(client),
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...overrides,
  })
}

export function refresh(
  school: School,
  client: ClientAnswer,
  refreshToken: string,
  overrides: Record<string, string> = {},
): Promise<HttpResponse> {
  return requestToken(school, {
    grant_type: 'refresh_token',
    ...credentials(client),
    refresh_token: refreshToken,
    ...overrides,
  })
}

/** The whole flow up to tokens. */
export async function tokensFor(
  school: School,
  client: ClientAnswer,
  overrides: Record<string, string | undefined> = {},
): Promise<TokenAnswer> {
  return bodyOf<TokenAnswer>(await redeem(school, client, await codeFor(school, client.client_id, overrides)))
}

export function credentials({ client_id, client_secret }: ClientAnswer): Record<string, string> {
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) }
}
