import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createResourceServer,
  type ErrorView,
  type HttpRequest,
  type HttpResponse,
  type Interaction,
  type ServerEvent,
  type SignInHint,
} from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { type TestClient, testClient } from '@grantkit/testkit/client'
import { pages } from '../src/index.ts'

/** A server where users sign in by cookie, on a clock that tests move. Its pages for users are data, but for the consent page. */

const SCOPES = {
  profile: { description: 'See your name' },
  'courses:read': { description: 'See courses' },
}
export const SCOPE = 'profile courses:read'
/** The language of the browser that they come from is not the default. */
export const GERMAN = { 'accept-language': 'de-AT' }

export type Overrides = Omit<Partial<AuthorizationServerOptions<string>>, 'interaction'> & {
  interaction?: Partial<Interaction>
}

export interface Message {
  readonly query?: string
  readonly form?: Record<string, string>
  readonly headers?: HttpRequest['headers']
}

const ISSUER = 'https://server.example'
const COOKIE = /^user=(\w+)(?:@(\d+))?$/

export function openService({ interaction, ...overrides }: Overrides = {}) {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const events: ServerEvent[] = []
  const shown: { signIn?: string; signInHint?: SignInHint; error?: ErrorView } = {}
  const store = overrides.store ?? createMemoryStore({ now })
  const { consentPage } = pages({ brand: { name: 'Courses' } }).interaction
  const server = createAuthorizationServer<string>({
    ...{ issuer: ISSUER, store, scopes: SCOPES, secret: 'a secret of the tests, long enough to pass', now },
    interaction: {
      async session({ headers }) {
        const [, subject, time] = COOKIE.exec(String(headers.cookie ?? '')) ?? []
        if (subject === undefined) return undefined
        return { id: `${subject}@${time}`, subject, authTime: time === undefined ? now() : Number(time) }
      },
      signIn(returnTo, hint) {
        Object.assign(shown, { signIn: returnTo, signInHint: hint })
        return { status: 303, headers: { location: '/login' }, body: '' }
      },
      consentPage,
      errorPage(view) {
        shown.error = view
        return { status: view.status, headers: { 'content-type': 'text/html' }, body: view.reason }
      },
      ...interaction,
    },
    onEvent: (event) => void events.push(event),
    ...overrides,
  })
  const api = createResourceServer({ resource: ISSUER, store, scopes: SCOPES, now })
  return {
    ...{ clock, events, shown, store, server },
    async isLive(token: string): Promise<boolean> {
      const headers = { authorization: `Bearer ${token}` }
      const request = { method: 'GET', path: '/api', query: '', headers, body: '' }
      return (await api.access(request)).kind === 'authorized'
    },
    async send(method: string, path: string, { query = '', form, headers = {} }: Message = {}) {
      const route = server.routes.find((candidate) => candidate.path === path)
      if (route === undefined) throw new Error(`The server has no route ${path}`)
      const body = String(new URLSearchParams(form))
      const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
      const request = { method, path, query, body, headers: { ...type, ...headers } }
      return (await route.handle(request)) as HttpResponse
    },
  }
}

export type Service = ReturnType<typeof openService>

/** A client that a user has allowed, with a token. @param known registers none */
export async function connected(
  { server }: Service,
  name: string,
  cookie: string,
  known?: TestClient,
): Promise<{ client: TestClient; token: string }> {
  const client = await testClient(server, {
    browser: { cookie },
    ...(known === undefined
      ? { metadata: { client_name: name } }
      : {
          client: {
            clientId: known.clientId,
            clientSecret: known.clientSecret,
            redirectUris: [known.redirectUri],
          },
        }),
  })
  const { access_token: token } = await client.tokens(SCOPE)
  return { client, token }
}
