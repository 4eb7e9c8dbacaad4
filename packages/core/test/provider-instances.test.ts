import { type ConsentView, createResourceServer, type Feature, OAuthError } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { ERRORS } from '@grantkit/core/errors'
import { type FeatureParts, json, RequestSources, ResponseModes } from '@grantkit/core/feature'
import { formPost } from '@grantkit/core/form-post'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import * as z from 'zod'
import {
  ALICE,
  authorizationQuery,
  authorize,
  bodyOf,
  decide,
  redirectOf,
  type TokenAnswer,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { provingKey } from './dpop-key.ts'
import { ISSUER, REDIRECT_URI, type Service, VERIFIER } from './service.ts'

/**
 * Every provider option may be an instance of a class with private fields. Its methods work only when they are called
 * on the instance, and a copy has none of them.
 */
function instanceOf<Provider extends object>(provider: Provider): Provider {
  class Instance {
    readonly #provider = provider as Record<string, unknown>
    static read(instance: Instance, name: string): unknown {
      return instance.#provider[name]
    }
  }
  for (const [name, member] of Object.entries(provider)) {
    const descriptor =
      typeof member === 'function'
        ? {
            value(this: Instance, ...input: unknown[]) {
              return (Instance.read(this, name) as typeof member)(...input)
            },
          }
        : {
            get(this: Instance) {
              return Instance.read(this, name)
            },
          }
    Object.defineProperty(Instance.prototype, name, descriptor)
  }
  return new Instance() as unknown as Provider
}

/** The member if it is present, with each of its providers as an instance. */
const each = <Provider extends object>(providers: readonly Provider[] = []) => providers.map(instanceOf)
const one = <Provider extends object>(provider: Provider | undefined) => provider && instanceOf(provider)

/** A feature as an instance, with instances of all its parts. */
function asInstances(factory: Feature): Feature {
  return (kernel) => {
    const feature = factory(kernel)
    const { senderConstraint, clientSources, requestSources, responseModes } = feature
    return instanceOf<FeatureParts>({
      ...feature,
      endpoints: each(feature.endpoints),
      clientEndpoints: each(feature.clientEndpoints),
      grantTypes: each(feature.grantTypes),
      clientAuthMethods: each(feature.clientAuthMethods),
      ...(clientSources && { clientSources: (methods, check) => each(clientSources(methods, check)) }),
      accessTokens: one(feature.accessTokens),
      requestSources: requestSources && new RequestSources(each(requestSources.list)),
      responseModes: responseModes && new ResponseModes(each(responseModes.brought)),
      senderConstraint:
        senderConstraint &&
        instanceOf({
          ...senderConstraint,
          userinfo: instanceOf(senderConstraint.userinfo),
          proofsAt: (origin: string) => instanceOf(senderConstraint.proofsAt(origin)),
        }),
      tokenMembers: one(feature.tokenMembers),
    })
  }
}

/** Uses the members that no feature of core has. */
const badges: Feature = () => ({
  clientAuthMethods: [
    {
      name: 'badge',
      carrier: 'badge',
      read: (_request, { client_id }, { badge }) =>
        instanceOf({ clientId: client_id, verify: () => badge === 'shown' }),
    },
  ],
  clientSources: () => [{ owns: (id) => id === 'unknown', find: async () => undefined }],
  grantTypes: [
    {
      ...{ name: 'badge', message: z.object({}), credential: 'badge_code' },
      transientOf: () => 'badge',
      clientOf: async () => 'unknown',
      exchange: async () => {
        throw new OAuthError(ERRORS.client_unknown)
      },
    },
  ],
  tokenMembers: { prepare: async () => async () => ({ badge: true }) },
  clientMetadata: () => ({ badge_colour: z.string().optional() }),
  checkClient: () => {},
  endpoints: [
    {
      ...{ path: '/badge', methods: ['GET'], cors: false },
      answer: () => {
        throw new Error('The badge is torn')
      },
      refusal: () => json(503, {}),
    },
  ],
})

const _secret = 'a secret of the tests, long enough to pass'

function providers(now: () => number) {
  const { clients, grants, transients } = createMemoryStore({ now })
  const store = instanceOf({
    clients: instanceOf({ ...clients }),
    grants: instanceOf({ ...grants }),
    transients: transients && instanceOf({ ...transients }),
  })
  const rateLimiter = instanceOf({ take: async () => 0, refund: async () => {} })
  return { store, rateLimiter }
}

/** The service, of instances alone. */
async function open() {
  const clock = { now: 1_800_000_000 }
  const now = () => clock.now
  const { store, rateLimiter } = providers(now)
  const session = async () => ({ id: 'alice', subject: 'alice', authTime: clock.now })
  const page = (body: string) => () => ({ status: 200, headers: {}, body })
  const shown: { consent?: ConsentView } = {}
  const pages = instanceOf({
    ...{ session, signIn: page('sign in'), errorPage: page('error') },
    consentPage: (view: ConsentView) => {
      shown.consent = view
      return page('consent')()
    },
    ...{ endSession: async () => '', logoutPage: page('logout'), signedOutPage: page('signed out') },
    formPostPage: page('posted'),
    ...{ userCodePage: page('code'), devicePage: page('device'), deviceAnsweredPage: page('answered') },
  })
  const features = [
    ...[
      badges,
      jwtAccessTokens({ resources: { [`${ISSUER}/mcp`]: {} } }),
      tokenExchange(),
      pushedAuthorizationRequests(),
    ],
    revocationFeed(),
    ...[dpop(), logout(pages), formPost(pages)],
    forwardAuth({ origin: ISSUER }),
  ].map(asInstances)
  const opened = await openDeviceService({
    server: { interaction: pages, store, rateLimiter, features, now },
  } as never)
  Object.assign(opened.service, { shown })
  const { accessTokens } = opened.service.server
  const api = createResourceServer({ resource: ISSUER, store, scopes: {}, accessTokens, now })
  const client = await opened.service.server.clients.add({
    clientName: 'App',
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'badge',
    grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
  })
  return { ...opened, api, badge: { client_id: client.clientId, badge: 'shown' } }
}

async function answered(service: Service, path: string, form: Record<string, string>, headers = {}) {
  const answer = await service.send('POST', `/api/oauth/${path}`, { form, headers })
  expect(answer.status, `${path}: ${answer.body}`).toBeLessThan(300)
  return bodyOf<TokenAnswer & Record<string, unknown>>(answer)
}

it('every provider may be an instance of a class with private fields', async () => {
  const { service, api, badge } = await open()
  const requested = Object.fromEntries(new URLSearchParams(authorizationQuery(badge.client_id)))
  const { request_uri } = await answered(service, 'par', { ...requested, ...badge })
  const query = new URLSearchParams({ client_id: badge.client_id, request_uri: String(request_uri) })
  const arrived = await authorize(service, String(query), ALICE)
  const [, marked = ''] = String(arrived.headers.location).split('?')
  expect((await authorize(service, marked, ALICE)).body).toBe('consent')
  const { code = '' } = redirectOf(await decide(service))
  const denied = { response_mode: 'form_post', prompt: 'none' }
  expect((await authorize(service, authorizationQuery(badge.client_id, denied))).body).toBe('posted')
  const key = provingKey()
  const htu = `${ISSUER}/api/oauth/token`
  const proof = { dpop: key.proof({ jti: '1', htm: 'POST', htu, iat: 1_800_000_000 }) }
  const redemption = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  const tokens = await answered(service, 'token', { ...badge, ...redemption, code })
  expect(tokens).toMatchObject({ badge: true })
  const bound = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const next = await answered(service, 'token', { ...badge, ...bound }, proof)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const request = { method: 'GET', path: '/notes', query: '', headers, body: '' }
  expect(await api.access(request)).toMatchObject({ kind: 'authorized' })
  for (const path of ['/api/oauth/userinfo', '/api/oauth/verify'])
    expect((await service.send('GET', path, { headers })).status, path).toBe(200)
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: tokens.access_token,
  }
  const exchanger = await service.server.clients.add({
    clientName: 'Exchanger',
    redirectUris: [REDIRECT_URI],
    tokenEndpointAuthMethod: 'badge',
    grantTypes: ['authorization_code', exchange.grant_type],
    tokenExchangeResources: [ISSUER],
  })
  await answered(service, 'token', { client_id: exchanger.clientId, badge: 'shown', ...exchange })
  expect(await answered(service, 'introspect', { ...badge, token: next.access_token })).toMatchObject({
    active: true,
  })
  await answered(service, 'revoke', { ...badge, token: next.access_token })
  await answered(service, 'device_authorization', { ...badge, scope: 'courses:read' })
  const unknownClient = { grant_type: 'badge', badge_code: tokens.access_token }
  expect((await service.send('POST', '/api/oauth/token', { form: unknownClient })).status).toBe(401)
  expect((await service.send('GET', '/badge')).status).toBe(503)
  expect((await service.send('GET', '/oauth/logout')).status).toBe(200)
  expect(service.events.filter(({ type }) => type === 'failed')).toMatchObject([{ path: '/badge' }])
  expect(await service.server.clients.remove(badge.client_id)).toMatchObject({ existed: true })
})
