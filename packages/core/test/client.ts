import type { HttpResponse } from '@grantkit/core'
import {
  formEncoded,
  type Overrides,
  registerClient,
  type Send,
  type TestClient,
  testClient,
} from '@grantkit/testkit/client'
import { CHALLENGE, ISSUER, type Message, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

/** The test client at the service: single steps, and the raw response to each. */

export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly scope: string
  readonly expires_in: number
  readonly token_type: string
}

export interface ClientAnswer {
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

export function bodyOf<T = Record<string, unknown>>(response: HttpResponse): T {
  return JSON.parse(response.body) as T
}

export async function register(service: Service, metadata: object = {}): Promise<ClientAnswer> {
  const whole = { client_name: 'Test client', redirect_uris: [REDIRECT_URI], ...metadata }
  const answer = await registerClient(service.server, whole, { send: sendThrough(service) })
  const body = bodyOf<Record<string, string>>(answer.response)
  return { ...body, clientId: body.client_id ?? '', clientSecret: body.client_secret }
}

/** A valid authorization request; an override of `undefined` leaves the parameter out. */
export function authorizationQuery(clientId: string, overrides: Overrides = {}): string {
  return formEncoded({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile courses:read',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...overrides,
  })
}

export const ALICE = { cookie: 'user=alice' }

export function authorize(
  service: Service,
  query: string,
  headers: Message['headers'] = ALICE,
): Promise<HttpResponse> {
  return service.send('GET', '/oauth/authorize', { query, headers })
}

/** The browser follows redirects as long as they lead to the authorization endpoint. */
export async function arrive(service: Service, query: string, headers: Message['headers'] = ALICE) {
  const first = await authorize(service, query, headers)
  const location = String(first.headers.location)
  if (!location.startsWith('/oauth/authorize?')) return { answer: first, query }
  const marked = location.slice('/oauth/authorize?'.length)
  return { answer: await authorize(service, marked, headers), query: marked }
}

/** Answers the consent page that was shown last. */
export function decide(
  service: Service,
  form: Record<string, string> | [string, string][] = {},
  headers: Message['headers'] = ALICE,
): Promise<HttpResponse> {
  const view = service.shown.consent
  if (view === undefined) throw new Error('No consent page was shown')
  const [path = '', ...query] = view.action.split('?')
  const scopes = view.scopes.map(({ name }): [string, string] => ['scope', name])
  const fields = Array.isArray(form)
    ? form
    : Object.entries({ ticket: view.ticket, decision: 'allow', ...form })
  const chosen = Array.isArray(form) || 'scope' in form ? [] : scopes
  return service.send('POST', path, { query: query.join('?'), form: [...fields, ...chosen], headers })
}

export function redirectOf(response: HttpResponse): Record<string, string> {
  // An expired form is shown again, at a URL of the server itself.
  return Object.fromEntries(new URL(String(response.headers.location), ISSUER).searchParams)
}

/** Sends through the service, because some tests replace its methods. */
function sendThrough(service: Service): Send {
  return (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url)
    return service.send(method, pathname, { query: search.slice(1), headers, form: body })
  }
}

/** The pages of the service are data and not HTML, so its user answers the data. */
function appOf(service: Service, client: ClientAnswer): Promise<TestClient> {
  return testClient(service.server, {
    send: sendThrough(service),
    client: { redirectUris: [REDIRECT_URI], ...client },
    async browser(url) {
      await authorize(service, new URL(url).search.slice(1))
      return new URL(String((await decide(service)).headers.location))
    },
  })
}

/** Sign-in, consent, and the code. */
export async function codeFor(
  service: Service,
  clientId: string,
  overrides: Overrides = {},
): Promise<string> {
  const app = await appOf(service, { clientId: clientId })
  const usual = { state: 'a state', code_challenge: CHALLENGE }
  return (await app.approve('openid profile courses:read', { ...usual, ...overrides })).code
}

export function requestToken(
  service: Service,
  form: Record<string, string> | [string, string][],
): Promise<HttpResponse> {
  return service.send('POST', '/api/oauth/token', { form })
}

export async function redeem(
  service: Service,
  client: ClientAnswer,
  code: string,
  overrides: Overrides = {},
): Promise<HttpResponse> {
  return (await (await appOf(service, client)).redeem({ code, verifier: VERIFIER }, overrides)).response
}

export async function refresh(
  service: Service,
  client: ClientAnswer,
  refreshToken: string,
  overrides: Overrides = {},
): Promise<HttpResponse> {
  return (await (await appOf(service, client)).refresh(refreshToken, overrides)).response
}

/** The whole flow up to tokens. */
export async function tokensFor(
  service: Service,
  client: ClientAnswer,
  overrides: Overrides = {},
): Promise<TokenAnswer> {
  return bodyOf<TokenAnswer>(
    await redeem(service, client, await codeFor(service, client.clientId, overrides)),
  )
}

export function credentials({
  clientId: client_id,
  clientSecret: client_secret,
}: ClientAnswer): Record<string, string> {
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) }
}

/** What introspection returns to an API. */
export async function introspected(service: Service, token: string) {
  const api = await service.server.clients.add({ redirectUris: [], clientName: 'API', resourceServer: true })
  return bodyOf(await service.send('POST', '/api/oauth/introspect', { form: { token, ...credentials(api) } }))
}
