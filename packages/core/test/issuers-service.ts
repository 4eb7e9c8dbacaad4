import { createResourceServer, type HttpRequest, type ServerEvent } from '@grantkit/core'
import { routeFinder } from '@grantkit/core/adapter'
import { backchannelAuthentication } from '@grantkit/core/backchannel-authentication'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { device } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { byHost, byPath, type Issuers, type IssuersOptions, issuers } from '@grantkit/core/issuers'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { type PersonalTokens, personalTokens } from '@grantkit/core/personal-tokens'
import { createMemoryStore } from '@grantkit/store-memory'
import { vi } from 'vitest'
import { PERSONAL_SCOPES } from './personal-tokens-service.ts'
import {
  type Message,
  REDIRECT_URI,
  requestOf,
  type Service,
  type ServiceScope,
  signInByCookie,
} from './service.ts'
import { TEST_KEYS } from './signing-keys.ts'

/** Four issuers in one process and one store: two at paths, two at hosts. */

const SECRET = 'a secret of the tests, long enough to pass'
const HOST = 'auth.example'
export const PATHS = ['a', 'b']
export const HOSTS = ['c.example', 'd.example']
const page = () => ({ status: 200, headers: {}, body: '' })

export function openIssuers(overrides: Partial<IssuersOptions<ServiceScope>> = {}) {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const store = createMemoryStore({ now })
  const versions = new Map([...PATHS, ...HOSTS].map((key) => [key, '1']))
  const events: ServerEvent[] = []
  const shown = new Map<string, Service['shown']>()
  const personal = new Map<string, PersonalTokens>()
  const options = vi.fn<IssuersOptions<ServiceScope>['options']>((key) => {
    const views = {}
    const tokens = personalTokens()
    shown.set(key, views)
    personal.set(key, tokens)
    return {
      issuer: HOSTS.includes(key) ? `https://${key}` : `https://${HOST}/t/${key}`,
      ...{ scopes: PERSONAL_SCOPES, keys: TEST_KEYS, now, standstill: () => 0 },
      onEvent: (event) => void events.push(event),
      claims: async (subject) => ({ name: subject }),
      interaction: signInByCookie(views, now),
      registration: { initialAccessToken: true },
      features: [
        tokens,
        pushedAuthorizationRequests(),
        clientAssertion(),
        clientCredentials(),
        dpop({ nonce: 'required' }),
        device({ userCodePage: page, devicePage: page, deviceAnsweredPage: page }),
        backchannelAuthentication({
          pages: { requestsPage: page, requestPage: page, requestAnsweredPage: page },
          userOf: async () => 'alice',
          notify() {},
        }),
      ],
    }
  })
  const version = vi.fn((key: string) => versions.get(key))
  const common = { store, secret: SECRET, version, options, now, ...overrides }
  const byPaths = issuers({ addresses: byPath('/t'), ...common })
  const byHosts = issuers({ addresses: byHost(), ...common })

  /** One of them, as the helpers of tests know a service. */
  async function serviceAt(key: string) {
    const all = HOSTS.includes(key) ? byHosts : byPaths
    const issuer = await all.find(key)
    if (issuer === undefined) throw new Error(`There is no issuer ${key}`)
    const { pathname, host } = new URL(issuer.server.issuer)
    const base = pathname === '/' ? '' : pathname
    const send = (method: string, path: string, message: Message = {}) => {
      const whole = path.startsWith(base) || path.startsWith('/.well-known') ? path : base + path
      return answered(all, { ...requestOf(method, whole, message), headers: { ...message.headers, host } })
    }
    const withType: Service['send'] = (method, path, message = {}) => {
      const { headers } = requestOf(method, path, message)
      return send(method, path, { ...message, headers })
    }
    const views = shown.get(key) ?? {}
    const guarded = { resource: issuer.server.issuer, store: issuer.store, scopes: PERSONAL_SCOPES, now }
    const api = createResourceServer({ ...guarded, anonymous: 'allow' })
    const service = {
      clock,
      events,
      keys: TEST_KEYS,
      store: issuer.store,
      server: issuer.server,
      shown: views,
    }
    const calling = { send: withType, api, callApi: async () => ({ kind: 'anonymous' as const }) }
    return { ...service, ...calling, issuer, tokens: personal.get(key) as PersonalTokens }
  }
  return { clock, store, versions, version, options, events, byPaths, byHosts, serviceAt }
}

export type At = Awaited<ReturnType<ReturnType<typeof openIssuers>['serviceAt']>>

/** The answer through what an adapter mounts. */
export async function answered({ routes }: Issuers, request: HttpRequest) {
  const route = routeFinder(routes)(request.path)
  return route === undefined ? { status: 404, headers: {}, body: 'no route' } : route.handle(request)
}

export const get = (path: string, headers: HttpRequest['headers'] = {}) => requestOf('GET', path, { headers })
const grantTypes = [
  ...['authorization_code', 'refresh_token', 'urn:openid:params:grant-type:ciba'],
  'urn:ietf:params:oauth:grant-type:device_code',
]

/** A client that both know by one id, as they know a client by the address of its document. */
export async function commonClient(from: At, to: At, metadata: object = {}) {
  const usual = { clientName: 'App', redirectUris: [REDIRECT_URI], grantTypes }
  const method = { tokenEndpointAuthMethod: 'client_secret_post' } as const
  const client = await from.server.clients.add({ ...usual, ...method, ...metadata })
  const stored = await from.store.clients.find(client.clientId)
  if (stored === undefined) throw new Error('The client was not stored')
  await to.store.clients.insert(client.clientId, stored.value, stored.value.expiresAt)
  return client
}

export const authenticated = ({
  clientId,
  clientSecret = '',
}: {
  clientId: string
  clientSecret?: string | undefined
}) => ({
  client_id: clientId,
  client_secret: clientSecret,
})
