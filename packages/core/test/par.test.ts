import { type PushedAuthorizationRequestsOptions, pushedAuthorizationRequests } from '@grantkit/core/par'
import { describe, expect, it } from 'vitest'
import type { AuthorizationRequestSource } from '../src/authorization/authorization-request.ts'
import { PUSHED_ERRORS, RequestSources } from '../src/authorization/presented-request.ts'
import { openRequest, PURPOSE } from '../src/features/par/pushed-request.ts'
import { parameters } from '../src/http/message.ts'
import { sealingKeys } from '../src/kernel/secrets.ts'
import {
  ALICE,
  arrive,
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  credentials,
  decide,
  redeem,
  redirectOf,
  register,
  type TokenAnswer,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

const SECRET = 'a secret of the tests, long enough to pass'
const BOB = { cookie: 'user=bob' }
const CONFIDENTIAL = { token_endpoint_auth_method: 'client_secret_post' }

type Changed = Record<string, string | undefined>

function open(options: Partial<PushedAuthorizationRequestsOptions> = {}) {
  return openService({ features: [pushedAuthorizationRequests({ ...options })] })
}

async function withClient(options: Partial<PushedAuthorizationRequestsOptions> = {}, metadata: object = {}) {
  const service = open(options)
  return { service, client: await register(service, metadata) }
}

function push(service: Service, client: ClientAnswer, changed: Changed = {}, more: [string, string][] = []) {
  const requested = new URLSearchParams(authorizationQuery(client.clientId, changed))
  const form = { ...Object.fromEntries(requested), ...credentials(client) }
  return service.send('POST', '/api/oauth/par', { form: [...Object.entries(form), ...more] })
}

async function pushed(service: Service, client: ClientAnswer, changed: Changed = {}): Promise<string> {
  const response = await push(service, client, changed)
  expect(response.status, response.body).toBe(201)
  return bodyOf<{ request_uri: string }>(response).request_uri
}

function queryOf({ clientId: client_id }: ClientAnswer, request_uri: string): string {
  return String(new URLSearchParams({ client_id, request_uri }))
}

function errorOf(service: Service) {
  return service.shown.error?.reason
}

describe('a pushed request', () => {
  it('PA-08: returns a request_uri that leads to consent, a code and tokens, without storing anything before', async () => {
    const { service, client } = await withClient()
    const response = await push(service, client)
    expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } })
    const { request_uri, expires_in } = bodyOf<{ request_uri: string; expires_in: number }>(response)
    expect([request_uri.slice(0, 34), expires_in]).toEqual(['urn:ietf:params:oauth:request_uri:', 60])
    const stored = []
    for await (const grant of service.store.grants.scan()) stored.push(grant)
    expect(stored).toEqual([])

    const { answer } = await arrive(service, queryOf(client, request_uri))
    expect(answer).toMatchObject({ status: 200, body: 'consent' })
    const redirect = await decide(service)
    expect(String(redirect.headers.location)).toMatch(new RegExp(`^${REDIRECT_URI}`))
    const { code = '', ...rest } = redirectOf(redirect)
    expect(rest).toEqual({ state: 'a state', iss: ISSUER })
    const tokens = await redeem(service, client, code)
    expect(bodyOf<TokenAnswer>(tokens).scope).toBe('openid profile courses:read')
  })

  it('PA-02: is the only source of parameters: other parameters of the browser are ignored', async () => {
    const { service, client } = await withClient()
    const request_uri = await pushed(service, client, { scope: 'courses:read' })
    const query = authorizationQuery(client.clientId, {
      scope: 'courses:write',
      redirect_uri: 'https://evil.example',
    })
    await arrive(service, `${query}&request_uri=${encodeURIComponent(request_uri)}`)
    expect(service.shown.consent).toMatchObject({
      redirectUri: REDIRECT_URI,
      scopes: [{ name: 'courses:read' }],
    })
  })

  it('PA-07: contains no secret of its client', async () => {
    const { service, client } = await withClient({}, CONFIDENTIAL)
    const sealed = openRequest(sealingKeys([SECRET], PURPOSE), await pushed(service, client))
    expect(sealed?.query).toContain('scope=')
    expect(sealed?.query).not.toContain('client_secret')
  })

  it('is validated again when the browser arrives: a removed client gets no code', async () => {
    const { service, client } = await withClient()
    const query = queryOf(client, await pushed(service, client))
    await service.server.clients.remove(client.clientId)
    expect((await arrive(service, query)).answer.status).toBe(400)
    expect(errorOf(service)).toBe('client_unknown')
  })
})

describe('the lifetime of a pushed request', () => {
  it('counts until the browser arrives, and not while its user signs in', async () => {
    const { service, client } = await withClient({ lifetime: 30 })
    const early = queryOf(client, await pushed(service, client))
    const late = queryOf(client, await pushed(service, client))
    service.clock.now += 29
    const { query } = await arrive(service, early)
    service.clock.now += 1
    expect((await arrive(service, late)).answer.status).toBe(400)
    expect(errorOf(service)).toBe('request_uri_expired')
    service.clock.now += 500
    expect(await authorize(service, query), 'a reload').toMatchObject({ status: 200, body: 'consent' })
    service.clock.now += 599
    expect(redirectOf(await decide(service))).toHaveProperty('code')
  })

  it('is not checked again when the user returns from the sign-in', async () => {
    const { service, client } = await withClient()
    await arrive(service, queryOf(client, await pushed(service, client)), {})
    service.clock.now += 300
    const [, back = ''] = String(service.shown.signIn).split('?')
    expect(await authorize(service, back)).toMatchObject({ status: 200, body: 'consent' })
  })

  it('requires a new sign-in once, as a plain request does', async () => {
    const { service, client } = await withClient()
    const alice = { cookie: `user=alice@${service.clock.now - 100}` }
    await arrive(service, queryOf(client, await pushed(service, client, { prompt: 'login' })), alice)
    const [, back = ''] = String(service.shown.signIn).split('?')
    service.shown.signIn = ''
    service.clock.now += 90
    await authorize(service, back, alice)
    expect(service.shown.signIn, 'the same session is not enough').not.toBe('')
    const again = { cookie: `user=alice@${service.clock.now}` }
    const [, second = ''] = String(service.shown.signIn).split('?')
    expect(await authorize(service, second, again)).toMatchObject({ status: 200, body: 'consent' })
  })

  it('PA-03: is not extended by a mark of another request, or a forged one', async () => {
    const { service, client } = await withClient()
    const one = queryOf(client, await pushed(service, client))
    const other = queryOf(client, await pushed(service, client))
    const { query } = await arrive(service, one)
    const mark = query.slice(one.length)
    service.clock.now += 60
    for (const forged of [
      `${other}${mark}`,
      `${one}&presented=1.x.y`,
      one.replace('client_id', 'a=b&client_id') + mark,
    ]) {
      expect((await authorize(service, forged)).status).toBe(400)
      expect(errorOf(service)).toBe('request_uri_expired')
    }
    service.clock.now += 540
    expect((await authorize(service, query)).status, 'and the mark ends too').toBe(400)
  })

  it('is 5 to 599 seconds, and an invalid option fails at creation', async () => {
    for (const lifetime of [4, 600, 59.5])
      expect(() => pushedAuthorizationRequests({ lifetime })).toThrow('lifetime')
    expect(() => pushedAuthorizationRequests({ lifetime: 5 })).not.toThrow()
    const { service, client } = await withClient({ lifetime: 599 })
    expect(bodyOf(await push(service, client))).toMatchObject({ expires_in: 599 })
  })
})

describe('one request_uri', () => {
  it('PA-04: opens one grant, however many sessions have a form of it', async () => {
    const { service, client } = await withClient()
    const query = queryOf(client, await pushed(service, client))
    await arrive(service, query, BOB)
    const bobs = service.shown.consent
    await arrive(service, query)
    const first = redirectOf(await decide(service))
    expect(redirectOf(await decide(service)), 'the same form again').toEqual(first)
    Object.assign(service.shown, { consent: bobs })
    expect(redirectOf(await decide(service, {}, BOB))).toMatchObject({ error: 'invalid_request' })
    expect((await service.server.grants.list('bob')).grants).toEqual([])
    expect((await redeem(service, client, String(first.code))).status, 'it was not consumed').toBe(200)
  })

  it('PA-09: gives one code to one of two users who approve it ten times each at once', async () => {
    const { service, client } = await withClient()
    const query = queryOf(client, await pushed(service, client))
    const forms: { user: typeof ALICE; view: Service['shown']['consent'] }[] = []
    for (const user of [ALICE, BOB]) {
      await arrive(service, query, user)
      forms.push({ user, view: service.shown.consent })
    }
    const twenty = Array.from({ length: 10 }, () => forms).flat()
    const answers = await Promise.all(
      twenty.map(({ user, view }) => {
        Object.assign(service.shown, { consent: view })
        return decide(service, {}, user)
      }),
    )
    const codes = new Set(answers.map((answer) => redirectOf(answer).code).filter(Boolean))
    expect(codes.size).toBe(1)
    expect((await redeem(service, client, String([...codes]))).status).toBe(200)
    const grants = await Promise.all(['alice', 'bob'].map((user) => service.server.grants.list(user)))
    expect(grants.flatMap((page) => page.grants)).toHaveLength(1)
  })

  it('PA-04: opens no grant after it was approved or denied', async () => {
    const { service, client } = await withClient()
    for (const decision of ['allow', 'deny']) {
      const query = queryOf(client, await pushed(service, client))
      const { query: marked } = await arrive(service, query)
      await decide(service, { decision })
      for (const again of [query, marked]) {
        expect((await arrive(service, again)).answer.status).toBe(400)
        expect(errorOf(service)).toBe('request_uri_spent')
      }
    }
  })

  it('PA-05: opens no second grant after the first was revoked, as long as a form of it is valid', async () => {
    const { service, client } = await withClient()
    const query = queryOf(client, await pushed(service, client))
    service.clock.now += 59
    const { query: marked } = await arrive(service, query)
    await decide(service)
    const [grant] = (await service.server.grants.list('alice')).grants
    await service.server.grants.revoke('alice', String(grant?.id))
    service.clock.now += 599
    expect((await authorize(service, marked)).status).toBe(400)
    expect(errorOf(service)).toBe('request_uri_spent')
  })

  it('PA-05: opens no second grant later, even if it lives longer than a form', async () => {
    const features = [pushedAuthorizationRequests({ lifetime: 599 })]
    const service = openService({ features, lifetimes: { consentTicket: 10 } })
    const client = await register(service)
    const query = queryOf(client, await pushed(service, client))
    await arrive(service, query)
    await decide(service)
    const [grant] = (await service.server.grants.list('alice')).grants
    await service.server.grants.revoke('alice', String(grant?.id))
    service.clock.now += 598
    expect((await authorize(service, query)).status).toBe(400)
    expect(errorOf(service)).toBe('request_uri_spent')
  })

  it('PA-05: of two remembered consents, one gets a code', async () => {
    const service = open()
    const redirect_uri = 'https://crm.example/callback'
    const about = { clientName: 'CRM', redirectUris: [redirect_uri], rememberConsent: true }
    const client = await service.server.clients.add(about)
    await arrive(service, queryOf(client, await pushed(service, client, { redirect_uri })))
    const code = String(redirectOf(await decide(service)).code)
    await redeem(service, client, code, { redirect_uri })
    const { query } = await marks(service, queryOf(client, await pushed(service, client, { redirect_uri })))
    const answers = await Promise.all([1, 2, 3].map(() => authorize(service, query)))
    expect(answers.filter(({ headers }) => String(headers.location).includes('code='))).toHaveLength(1)
  })
})

/** The marked query, without following the redirect. */
async function marks(service: Service, query: string) {
  const { headers } = await authorize(service, query)
  return { query: String(headers.location).slice('/oauth/authorize?'.length) }
}

describe('the error table of the push', () => {
  it.each<[string, Changed, number, string]>([
    ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
    ['a foreign redirect_uri', { redirect_uri: 'https://evil.example/cb' }, 400, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 400, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 400, 'invalid_request'],
    ['a bad prompt', { prompt: 'none login' }, 400, 'invalid_request'],
    ['a request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
    ['a request object', { request: 'x' }, 400, 'request_not_supported'],
    ['a scope that does not exist', { scope: 'courses:reed' }, 400, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 400, 'invalid_target'],
    ['another response type', { response_type: 'token' }, 400, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 400, 'invalid_request'],
    [
      'a request that would not fit',
      { state: 'x'.repeat(4000), nonce: 'x'.repeat(1000) },
      413,
      'invalid_request',
    ],
    ['a client that is unknown', { client_id: 'unknown' }, 401, 'invalid_client'],
  ])('%s', async (_, changed, status, error) => {
    const { service, client } = await withClient()
    const requested = 'client_id' in changed ? { clientId: String(changed.client_id) } : client
    const response = await push(service, requested, changed)
    expect([response.status, bodyOf(response).error]).toEqual([status, error])
    expect(response.headers.location).toBeUndefined()
  })

  it('a parameter that is sent twice', async () => {
    const { service, client } = await withClient()
    const response = await push(service, client, {}, [['state', 'another']])
    expect([response.status, bodyOf(response).error]).toEqual([400, 'invalid_request'])
  })

  it('PA-11: a wrong secret, and none', async () => {
    const { service, client } = await withClient({}, CONFIDENTIAL)
    for (const client_secret of ['wrong', undefined]) {
      const response = await push(service, { clientId: client.clientId, clientSecret: client_secret })
      expect([response.status, bodyOf(response).error]).toEqual([401, 'invalid_client'])
    }
  })

  it('another method or media type', async () => {
    const { service } = await withClient()
    expect(await service.send('GET', '/api/oauth/par')).toMatchObject({ status: 405 })
    expect(await service.send('POST', '/api/oauth/par', { json: {} })).toMatchObject({ status: 415 })
  })

  it('has the same errors as the authorization endpoint', async () => {
    const { service, client } = await withClient()
    const faults: Changed[] = [
      { scope: undefined },
      { scope: 'a  b' },
      { max_age: 'soon' },
      { code_challenge: 'short' },
      { code_challenge_method: undefined },
      { response_type: undefined },
      { registration: '{}' },
      { nonce: 'x'.repeat(5000) },
      { prompt: 'whatever' },
      { scope: 'openid offline_access' },
      {},
    ]
    for (const changed of faults) {
      const plain = await authorize(service, authorizationQuery(client.clientId, changed))
      const { error } = plain.status === 303 ? redirectOf(plain) : {}
      const { error: pushedError } = bodyOf(await push(service, client, changed))
      expect(pushedError, JSON.stringify(changed)).toBe(error)
    }
  })
})

describe('the error table of the authorization endpoint', () => {
  it.each(['tampered', 'longer', 'shorter', 'foreign', 'of another client', 'without a client', 'twice'])(
    'PA-01, PA-10: a request_uri that is %s leads to an error page, without a redirect',
    async (kind) => {
      const { service, client } = await withClient()
      const other = await register(service)
      const request_uri = await pushed(service, client)
      const changed = request_uri.slice(0, -3) + (request_uri.endsWith('AAA') ? 'BBB' : 'AAA')
      const query = {
        tampered: queryOf(client, changed),
        longer: queryOf(client, `${request_uri}A`),
        shorter: queryOf(client, request_uri.slice(0, -1)),
        foreign: queryOf(client, 'https://evil.example/request'),
        'of another client': queryOf(other, request_uri),
        'without a client': String(new URLSearchParams({ request_uri })),
        twice: `${queryOf(client, request_uri)}&request_uri=x`,
      }[kind]
      const { answer } = await arrive(service, String(query))
      expect([answer.status, answer.headers.location]).toEqual([400, undefined])
      expect(service.shown.error?.error).toMatch(/^(invalid_request|request_uri_not_supported)/)
    },
  )

  it('a changed secret invalidates the pushed requests', async () => {
    const { service, client } = await withClient()
    const request_uri = await pushed(service, client)
    const other = openService({
      store: service.store,
      secret: 'another secret of the tests, long enough',
      features: [pushedAuthorizationRequests()],
    })
    expect((await arrive(other, queryOf(client, request_uri))).answer.status).toBe(400)
  })
})

describe('required PAR', () => {
  it('PA-06: applies to every client if the option is set: a plain request is redirected with invalid_request', async () => {
    const { service, client } = await withClient({ required: true })
    expect(service.server.metadata).toMatchObject({ require_pushed_authorization_requests: true })
    const refused = redirectOf(await authorize(service, authorizationQuery(client.clientId)))
    expect(refused).toMatchObject({ error: 'invalid_request', state: 'a state', iss: ISSUER })
    const foreign = authorizationQuery(client.clientId, { redirect_uri: 'https://evil.example' })
    expect((await authorize(service, foreign)).status).toBe(400)
    const { answer } = await arrive(service, queryOf(client, await pushed(service, client)))
    expect(answer).toMatchObject({ status: 200, body: 'consent' })
  })

  it('PA-06: applies to a client that registered it, and no other', async () => {
    const { service, client } = await withClient({}, { require_pushed_authorization_requests: true })
    expect(client).toMatchObject({ require_pushed_authorization_requests: true })
    expect(redirectOf(await authorize(service, authorizationQuery(client.clientId)))).toMatchObject({
      error: 'invalid_request',
    })
    const other = await register(service)
    expect(await authorize(service, authorizationQuery(other.clientId))).toMatchObject({ body: 'consent' })
  })

  it('is off by default, and the metadata has no endpoint', async () => {
    const service = openService()
    expect(service.server.metadata).not.toHaveProperty('pushed_authorization_request_endpoint')
    expect(service.server.metadata).not.toHaveProperty('require_pushed_authorization_requests')
    const client = await register(service)
    const query = `${authorizationQuery(client.clientId)}&request_uri=urn%3Ax`
    expect(redirectOf(await authorize(service, query))).toMatchObject({ error: 'request_uri_not_supported' })
  })

  it('is in the metadata if it is configured, and request_uri_parameter_supported is not', () => {
    expect(open().server.metadata).toMatchObject({
      pushed_authorization_request_endpoint: `${ISSUER}/api/oauth/par`,
      request_uri_parameter_supported: false,
    })
  })
})

it('the request of a request_uri is read by the source that knows it, and any source may require one', async () => {
  const URI = 'urn:example:request'
  const source: AuthorizationRequestSource = {
    parameter: 'request_uri',
    open: (uri) =>
      uri === URI
        ? {
            parameter: 'request_uri',
            sent: parameters(authorizationQuery(client.clientId)),
            name: URI,
            expiresAt: service.clock.now + 300,
            proven: true,
            errors: { expired: PUSHED_ERRORS.request_uri_expired, spent: PUSHED_ERRORS.request_uri_spent },
          }
        : undefined,
    refusal: (_client, opened) => (opened ? undefined : PUSHED_ERRORS.request_not_pushed),
  }
  const features = [pushedAuthorizationRequests(), () => ({ requestSources: new RequestSources([source]) })]
  const service = openService({ features })
  const client = await register(service)
  for (const uri of [URI, await pushed(service, client)])
    expect((await arrive(service, queryOf(client, uri))).answer.body).toBe('consent')
  await authorize(service, queryOf(client, 'urn:example:other'))
  expect(errorOf(service)).toBe('request_uri_unknown')
  const refused = await authorize(service, authorizationQuery(client.clientId))
  expect(redirectOf(refused)).toMatchObject({ error: 'invalid_request' })
})
