import type { Feature, Store } from '@grantkit/core'
import type { MessagePost } from '@grantkit/core/internal'
import { logout } from '@grantkit/core/logout'
import { createMemoryStore } from '@grantkit/store-memory'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type BackChannelLogoutOptions, backChannelLogout, type LogoutUndelivered } from '../src/index.ts'
import {
  bodyOf,
  codeFor,
  openService,
  REDIRECT_URI,
  type RegisteredClient,
  redeem,
  type Service,
} from './service.ts'

export const LOGOUT_URI = 'https://app.dev/bcl'
export const BACK = 'http://127.0.0.1:7001/signed-out'

/** A message as a client received it. */
interface Received {
  readonly url: string
  readonly type: string | undefined
  readonly token: string
  readonly claims: Record<string, unknown>
  readonly header: Record<string, unknown>
}

type Answer = number | 'no answer' | { readonly status: number; readonly headers: Record<string, string> }

/** A service whose clients hear of ended sessions, and the internet that its messages go to. */
export function openWithBackChannel({
  store: given,
  features = [],
  server = {},
  ...options
}: Partial<BackChannelLogoutOptions> & {
  store?: Store
  features?: readonly Feature[]
  server?: Parameters<typeof openService>[0]
} = {}) {
  const received: Received[] = []
  const answers: Answer[] = []
  const internet = { answer: 200 as Answer | (() => Promise<Answer>) }
  const post: MessagePost = async (url, { headers, body }) => {
    const token = new URLSearchParams(body).get('logout_token') ?? ''
    const type = headers['content-type']
    received.push({ url, type, token, claims: decodeJwt(token), header: { ...decodeProtectedHeader(token) } })
    const next = answers.shift() ?? internet.answer
    const answer = typeof next === 'function' ? await next() : next
    if (answer === 'no answer') throw Object.assign(new Error('refused'), { code: 'connect' })
    return typeof answer === 'number' ? { status: answer, headers: {} } : answer
  }
  const clock = { now: () => 0 }
  const store = given ?? createMemoryStore({ now: () => clock.now() })
  const pages = logout({
    endSession: async () => 'user=; Max-Age=0',
    logoutPage: () => ({ status: 200, headers: {}, body: 'asks' }),
    signedOutPage: () => ({ status: 200, headers: {}, body: 'signed out' }),
  })
  const feature = backChannelLogout({ post, timers: false, ...options })
  const service = openService({ store, features: [pages, feature, ...features], ...server })
  clock.now = () => service.clock.now
  return {
    ...{ service, store, received, answers, internet },
    deliver: () => service.server.sessions.deliver(),
    undelivered: () =>
      service.events.filter(
        ({ type }: { type: string }) => type === 'logout_undelivered',
      ) as unknown as LogoutUndelivered[],
  }
}

/** A client of the operator. */
export function addClient(service: Service, metadata: object = {}) {
  return service.server.clients.add({
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    backchannelLogoutUri: LOGOUT_URI,
    tokenEndpointAuthMethod: 'client_secret_post',
    postLogoutRedirectUris: [BACK],
    ...metadata,
  })
}

/** The session of the cookie `user=<user>@<time>`. */
export const sessionId = (user = 'alice', time: number | string = 100) => `${user}@${time}`

export function codeIn(
  service: Service,
  { clientId }: RegisteredClient,
  session = sessionId(),
  scope?: string,
) {
  return codeFor(service, clientId, { cookie: `user=${session}`, ...(scope && { scope }) })
}

export interface Tokens {
  readonly refresh_token: string
  readonly id_token: string
}

/** Signs in at a client in a session, and returns its tokens. */
export async function signIn(service: Service, client: RegisteredClient, session?: string, scope?: string) {
  return bodyOf<Tokens>(await redeem(service, client, await codeIn(service, client, session, scope)))
}
