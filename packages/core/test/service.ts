import {
  type Anonymous,
  type AuthorizationServerOptions,
  type Authorized,
  type ConsentView,
  createAuthorizationServer,
  createResourceServer,
  type ErrorView,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  loopbackOnly,
  type PrivateJwk,
  type ResourceServer,
  type ScopeCatalogue,
  type ServerEvent,
  type SignInHint,
  type Store,
} from '@grantkit/core'
import type { StepEvent } from '@grantkit/explain'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect } from 'vitest'
import { TEST_KEYS } from './signing-keys.ts'

/** A small authorization server with sign-in by cookie, served in this process on a clock that tests move. */

export const ISSUER = 'https://server.example'
export const REDIRECT_URI = 'http://127.0.0.1:7001/callback'
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
/** The pair of RFC 7636 appendix B. */
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const SCOPES = {
  openid: { description: 'Sign you in' },
  profile: { description: 'See your name' },
  email: { description: 'See your e-mail address' },
  'courses:read': { description: 'See courses', area: 'Courses', access: 'read', baseline: true },
  'courses:write': { description: 'Change courses', area: 'Courses', access: 'write' },
  'students:read': { description: 'See students', area: 'Students', access: 'read' },
} as const satisfies ScopeCatalogue
export type ServiceScope = keyof typeof SCOPES

const USERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alice: {
    name: 'Alice Liddell',
    updated_at: 1_700_000_000,
    email: 'alice@server.example',
    email_verified: true,
    secret: 'x',
  },
  bob: { name: 'Bob', email: '' },
}

/** What every page gets, where nothing else is configured. */
export const PAGE = { request: expect.objectContaining({ method: 'GET' }), locale: 'en' }

export interface Message {
  readonly query?: string | Record<string, string>
  readonly form?: string | Record<string, string> | [string, string][]
  readonly json?: unknown
  readonly headers?: HttpRequest['headers']
  readonly remoteAddress?: string | undefined
}

export interface Service {
  readonly clock: { now: number }
  readonly events: (ServerEvent | StepEvent)[]
  readonly store: Store
  readonly keys: readonly PrivateJwk[]
  readonly server: ReturnType<typeof createAuthorizationServer>
  readonly api: ResourceServer<ServiceScope, Authorized | Anonymous>
  /** The last pages shown, as data. */
  readonly shown: { consent?: ConsentView; error?: ErrorView; signIn?: string; signInHint?: SignInHint }
  send(method: string, path: string, message?: Message): Promise<HttpResponse>
  callApi(token: string | undefined, ...scopes: ServiceScope[]): ReturnType<Service['api']['access']>
}

export function openService(overrides: Partial<AuthorizationServerOptions<ServiceScope>> = {}): Service {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const events: (ServerEvent | StepEvent)[] = []
  const onEvent = (event: ServerEvent | StepEvent) => void events.push(event)
  const store = overrides.store ?? createMemoryStore({ now })
  const shown: Service['shown'] = {}
  const server = createAuthorizationServer<ServiceScope>({
    issuer: ISSUER,
    store,
    scopes: SCOPES,
    interaction: signInByCookie(shown, now),
    secret: 'a secret of the tests, long enough to pass',
    keys: TEST_KEYS,
    claims: async (subject) => USERS[subject],
    resources: [ISSUER, `${ISSUER}/mcp`],
    redirectUriPolicy: loopbackOnly({ mixed: 'refuse' }),
    onEvent,
    now,
    // The clock of a test jumps, and a machine under load must not look like one that stood still.
    standstill: () => 0,
    ...overrides,
  })
  const api = createResourceServer({
    resource: ISSUER,
    store: overrides.store ?? store,
    scopes: SCOPES,
    anonymous: 'allow',
    requestTerms: server.requestTerms,
    observer: overrides.observer,
    now,
    onEvent,
  })
  return {
    clock,
    events,
    store,
    keys: TEST_KEYS,
    server,
    api,
    shown,
    send: (method, path, message) => send(server, method, path, message),
    callApi: (token, ...scopes) => api.access(apiRequest(token), ...scopes),
  }
}

const COOKIE = /^user=(\w+)(?:@(\d+))?(?:\/(\w+))?(?:\/([\w.]+))?$/

/**
 * The cookie `user=alice` is Alice, signed in now; `user=alice@100` signed in at 100, and `user=alice@100/phr/hwk.pin` in the
 * class `phr` with the methods `hwk` and `pin`.
 */
export function signInByCookie(shown: Service['shown'], now: () => number): Interaction {
  return {
    async session(request) {
      const [, subject, time, acr, amr] = COOKIE.exec(String(request.headers.cookie ?? '')) ?? []
      if (subject === undefined) return undefined
      const id = `${subject}@${time}${acr === undefined ? '' : `/${acr}`}`
      const session = { id, subject, authTime: time === undefined ? now() : Number(time) }
      return { ...session, ...(acr && { acr }), ...(amr && { amr: amr.split('.') }) }
    },
    signIn(returnTo, hint) {
      Object.assign(shown, { signIn: returnTo, signInHint: hint })
      return { status: 303, headers: { location: '/login' }, body: '' }
    },
    consentPage(view) {
      Object.assign(shown, { consent: view })
      return { status: 200, headers: { 'content-type': 'text/html' }, body: 'consent' }
    },
    errorPage(view) {
      Object.assign(shown, { error: view })
      return { status: view.status, headers: { 'content-type': 'text/html' }, body: view.reason }
    },
  }
}

function send(
  server: Service['server'],
  method: string,
  path: string,
  message: Message = {},
): Promise<HttpResponse> {
  const route = server.routes.find((candidate) => candidate.path === path)
  if (route === undefined) throw new Error(`The server has no route ${path}`)
  return route.handle(requestOf(method, path, message))
}

export function requestOf(
  method: string,
  path: string,
  { query = '', form, json, headers = {}, remoteAddress }: Message,
): HttpRequest {
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  const body = json === undefined ? encoded(form ?? '') : JSON.stringify(json)
  return {
    method,
    path,
    query: encoded(query),
    body,
    remoteAddress,
    headers: body === '' ? headers : { 'content-type': type, ...headers },
  }
}

function encoded(parameters: string | Record<string, string> | [string, string][]): string {
  return typeof parameters === 'string' ? parameters : String(new URLSearchParams(parameters))
}

function apiRequest(token: string | undefined): HttpRequest {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return { method: 'GET', path: '/api/courses', query: '', headers, body: '' }
}
