import {
  type AuthorizationServerOptions,
  type ConsentView,
  createAuthorizationServer,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  loopbackOnly,
  type PrivateJwk,
  type ServerEvent,
  type Store,
} from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { exportJWK, generateKeyPair } from 'jose'

/** A small authorization server with sign-in by cookie, served in this process on a clock that tests move. */

export const ISSUER = 'https://server.example'
export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
/** The pair of RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const SCOPES = {
  openid: { description: 'Sign you in' },
  'courses:read': { description: 'See courses', access: 'read', baseline: true },
} as const

async function signingKey(alg: PrivateJwk['alg']): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid: `test-${alg}` } as PrivateJwk
}

/** Made once for all tests, because an RSA key is slow to make. */
export const TEST_KEYS = await Promise.all([signingKey('RS256'), signingKey('ES256')])

interface Message {
  readonly query?: string | Record<string, string>
  readonly form?: Record<string, string> | [string, string][]
  readonly json?: unknown
  readonly headers?: HttpRequest['headers']
}

export interface Service {
  readonly clock: { now: number }
  readonly events: ServerEvent[]
  readonly store: Store
  readonly server: ReturnType<typeof createAuthorizationServer>
  /** The last consent page. */
  readonly shown: { consent?: ConsentView }
  send(method: string, path: string, message?: Message): Promise<HttpResponse>
}

export function openService(
  overrides: Partial<AuthorizationServerOptions<keyof typeof SCOPES>> = {},
): Service {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const events: ServerEvent[] = []
  const store = overrides.store ?? createMemoryStore({ now })
  const shown: Service['shown'] = {}
  const server = createAuthorizationServer<keyof typeof SCOPES>({
    issuer: ISSUER,
    store,
    scopes: SCOPES,
    interaction: signInByCookie(shown, now),
    secret: 'a secret of the tests, long enough to pass',
    keys: TEST_KEYS,
    claims: async () => ({ name: 'Alice Liddell' }),
    redirectUriPolicy: loopbackOnly({ mixed: 'refuse' }),
    onEvent: (event) => void events.push(event),
    now,
    // The clock of a test jumps, and a machine under load must not look like one that stood still.
    standstill: () => 0,
    ...overrides,
  })
  return { clock, events, store, server, shown, send: (...message) => send(server, ...message) }
}

/** The cookie `user=alice` is Alice, signed in now; `user=alice@100` signed in at 100. */
function signInByCookie(shown: Service['shown'], now: () => number): Interaction {
  return {
    async session({ headers }) {
      const [, subject, time] = /^user=(\w+)(?:@(\d+))?$/.exec(String(headers.cookie ?? '')) ?? []
      if (subject === undefined) return undefined
      return { id: `${subject}@${time}`, subject, authTime: time === undefined ? now() : Number(time) }
    },
    signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
    consentPage(consent) {
      Object.assign(shown, { consent })
      return { status: 200, headers: {}, body: 'consent' }
    },
    errorPage: ({ status, reason }) => ({ status, headers: {}, body: reason }),
  }
}

function send(
  server: Service['server'],
  method: string,
  path: string,
  { query = '', form, json, headers = {} }: Message = {},
): Promise<HttpResponse> {
  const route = server.routes.find((candidate) => candidate.path === path)
  if (route === undefined) throw new Error(`The server has no route ${path}`)
  const body = json === undefined ? String(new URLSearchParams(form)) : JSON.stringify(json)
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  return route.handle({
    ...{ method, path, body, query: String(new URLSearchParams(query)) },
    headers: body === '' ? headers : { 'content-type': type, ...headers },
  })
}

export function bodyOf<T = Record<string, unknown>>(response: HttpResponse): T {
  return JSON.parse(response.body) as T
}

/** A client with its credentials, as the operator or its registration got them. */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

export async function register(service: Service, metadata: object = {}): Promise<RegisteredClient> {
  const json = { client_name: 'Test client', redirect_uris: [REDIRECT_URI], ...metadata }
  const { client_id, client_secret, ...rest } = bodyOf<Record<string, string>>(
    await service.send('POST', '/api/oauth/register', { json }),
  )
  return { ...rest, clientId: client_id ?? '', clientSecret: client_secret }
}

/** A valid authorization request. */
export function authorizationQuery(
  clientId: string,
  overrides: Record<string, string> = {},
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid courses:read',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...overrides,
  }
}

export function authorize(service: Service, query: Record<string, string>, cookie = 'user=alice') {
  return service.send('GET', '/oauth/authorize', { query, headers: { cookie } })
}

export function redirectOf(response: HttpResponse): Record<string, string> {
  return Object.fromEntries(new URL(String(response.headers.location), ISSUER).searchParams)
}

/** Sign-in and consent. */
export async function codeFor(
  service: Service,
  clientId: string,
  { scope = 'openid courses:read', cookie = 'user=alice' } = {},
): Promise<string> {
  await authorize(service, authorizationQuery(clientId, { scope }), cookie)
  const { action = '', ticket = '', scopes = [] } = service.shown.consent ?? {}
  const [path = '', query = ''] = action.split('?')
  const chosen = scopes.map(({ name }): [string, string] => ['scope', name])
  const form: [string, string][] = [['ticket', ticket], ['decision', 'allow'], ...chosen]
  return redirectOf(await service.send('POST', path, { query, form, headers: { cookie } })).code ?? ''
}

export function redeem(service: Service, { clientId, clientSecret }: RegisteredClient, code: string) {
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  return service.send('POST', '/api/oauth/token', {
    form: { ...form, client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) },
  })
}
