import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it, vi } from 'vitest'
import {
  bodyOf,
  type ClientAnswer,
  codeFor,
  credentials,
  redeem,
  refresh,
  register,
  requestToken,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'

const MCP = `${ISSUER}/mcp`
const GRANT_TYPES = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE]
const SCOPE = 'openid profile courses:read courses:write'
const REDIRECTS = { redirectUris: ['https://api.example/callback'] }

function exchange(
  service: Service,
  client: ClientAnswer,
  subject_token: string,
  more: Record<string, string> = {},
) {
  return requestToken(service, {
    ...credentials(client),
    grant_type: TOKEN_EXCHANGE,
    subject_token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    ...more,
  })
}

async function exchanged(...input: Parameters<typeof exchange>): Promise<TokenAnswer> {
  const response = await exchange(...input)
  expect(response.status, response.body).toBe(200)
  return bodyOf<TokenAnswer>(response)
}

async function withTokens(overrides = {}, features = [tokenExchange()]) {
  const service = openService({ features })
  const client = await register(service, { grant_types: GRANT_TYPES })
  return { service, client, tokens: await tokensFor(service, client, { scope: SCOPE, ...overrides }) }
}

/** An integration, and an API at `resource` that calls others for its callers. */
function addApi(service: Service, resource: string | undefined, more: object = {}): Promise<ClientAnswer> {
  return service.server.clients.add({
    ...{ clientName: 'An API', ...REDIRECTS, grantTypes: GRANT_TYPES },
    ...(resource === undefined ? {} : { tokenExchangeResources: [resource] }),
    ...more,
  })
}

function introspect(service: Service, client: ClientAnswer, token: string) {
  return service
    .send('POST', '/api/oauth/introspect', { form: { token, ...credentials(client) } })
    .then((response) => bodyOf(response))
}

function revoke(service: Service, client: ClientAnswer, token: string) {
  return service.send('POST', '/api/oauth/revoke', { form: { token, ...credentials(client) } })
}

async function isLive(service: Service, token: string): Promise<boolean> {
  return (await service.callApi(token)).kind === 'authorized'
}

it('a token with an earlier, longer lifetime is exchanged for one with the lifetime of the feature', async () => {
  const { service, client, tokens } = await withTokens()
  const shorter = openService({
    store: service.store,
    features: [tokenExchange()],
    lifetimes: { accessToken: 300 },
  })
  expect((await exchanged(shorter, client, tokens.access_token)).expires_in).toBe(900)
})

describe('an exchanged token', () => {
  it('TX-01: has only the requested scopes, and the response contains nothing else', async () => {
    const { service, client, tokens } = await withTokens()
    const child = await exchanged(service, client, tokens.access_token, { scope: 'courses:read' })
    expect(child).toEqual({
      access_token: expect.stringMatching(/^gka_/),
      issued_token_type: ACCESS_TOKEN_TYPE,
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'courses:read',
    })
    expect(await service.callApi(child.access_token, 'courses:read')).toMatchObject({
      kind: 'authorized',
      token: { subject: 'alice', clientId: client.clientId, act: { sub: client.clientId } },
    })
    expect(await service.callApi(child.access_token, 'courses:write')).toMatchObject({
      response: { status: 403 },
    })
  })

  it('has all scopes if none are requested, but never an ID token', async () => {
    const { service, client, tokens } = await withTokens()
    const child = await exchanged(service, client, tokens.access_token)
    expect([child.scope, child.id_token, child.refresh_token]).toEqual([SCOPE, undefined, undefined])
  })

  it.each([
    [{}, 0, 900],
    [{ expires_in: '60' }, 0, 60],
    [{ expires_in: '86400' }, 0, 900],
    [{}, 3000, 600],
    [{ expires_in: '700' }, 3000, 600],
  ])(
    'lives no longer than requested, allowed, or its parent: %j after %d s',
    async (requested, after, seconds) => {
      const { service, client, tokens } = await withTokens()
      service.clock.now += after
      const child = await exchanged(service, client, tokens.access_token, requested)
      expect(child.expires_in).toBe(seconds)
      service.clock.now += seconds - 1
      expect(await isLive(service, child.access_token)).toBe(true)
      service.clock.now += 1
      expect(await isLive(service, child.access_token)).toBe(false)
    },
  )

  it('shows its own resource and not the one of its parent, and a refresh shows its own', async () => {
    const service = openService({ features: [tokenExchange()], resourceInTokenResponse: true })
    const client = await register(service, { grant_types: GRANT_TYPES })
    const tokens = await tokensFor(service, client, { scope: SCOPE })
    expect(await exchanged(service, client, tokens.access_token, { resource: MCP })).toMatchObject({
      resource: MCP,
    })
    const refreshed = await refresh(service, client, tokens.refresh_token, { resource: ISSUER })
    expect(bodyOf(refreshed)).toMatchObject({ resource: ISSUER })
  })

  it('has the configured lifetime', async () => {
    const { service, client, tokens } = await withTokens({}, [tokenExchange({ lifetime: 30 })])
    expect((await exchanged(service, client, tokens.access_token)).expires_in).toBe(30)
    expect((await withTokens({}, [tokenExchange({ lifetime: 1 })])).tokens).toBeDefined()
    for (const lifetime of [0, 0.5, 1.5])
      expect(() => tokenExchange({ lifetime }), `${lifetime}`).toThrow('tokenExchange: lifetime')
  })

  it('TX-02: is revoked with its subject token, and other tokens stay valid', async () => {
    const { service, client, tokens } = await withTokens()
    const next = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    const child = await exchanged(service, client, tokens.access_token)
    const grandchild = await exchanged(service, client, child.access_token)
    await revoke(service, client, tokens.access_token)
    expect(await isLive(service, child.access_token)).toBe(false)
    expect(await isLive(service, grandchild.access_token)).toBe(false)
    expect(await isLive(service, next.access_token)).toBe(true)
  })

  it.each(['its refresh token', 'its user'])('is revoked with its grant, by %s', async (by) => {
    const { service, client, tokens } = await withTokens()
    const child = await exchanged(service, client, tokens.access_token)
    const [grant] = (await service.server.grants.list('alice')).grants
    if (by === 'its user') await service.server.grants.revoke('alice', String(grant?.id))
    else await revoke(service, client, tokens.refresh_token)
    expect(await isLive(service, child.access_token)).toBe(false)
  })

  it('TX-06: is not valid if its grant was revoked while it was issued', async () => {
    const { service, client, tokens } = await withTokens()
    const [answer] = await Promise.all([
      exchange(service, client, tokens.access_token),
      revoke(service, client, tokens.refresh_token),
    ])
    if (answer.status === 200)
      expect(await isLive(service, bodyOf<TokenAnswer>(answer).access_token)).toBe(false)
    else expect(bodyOf(answer).error).toBe('invalid_request')
  })

  it('TX-07: is a 503 while the store is unreachable, and consumes no token', async () => {
    const { service, client, tokens } = await withTokens()
    const find = vi.spyOn(service.store.grants, 'find').mockRejectedValue(new Error('out of reach'))
    expect((await exchange(service, client, tokens.access_token)).status).toBe(503)
    find.mockRestore()
    await exchanged(service, client, tokens.access_token)
  })

  it('is revoked when its code is replayed', async () => {
    const { service, client } = await withTokens()
    const code = await codeFor(service, client.clientId)
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, code))
    const child = await exchanged(service, client, tokens.access_token)
    await redeem(service, client, code)
    expect(await isLive(service, child.access_token)).toBe(false)
  })

  it('has an event with ids', async () => {
    const { service, client, tokens } = await withTokens()
    await exchanged(service, client, tokens.access_token, { scope: 'courses:read' })
    const clientId = client.clientId
    expect(service.events.at(-1)).toMatchObject({
      ...{ type: 'token_exchanged', clientId, actorId: clientId, scopes: ['courses:read'] },
    })
  })
})

describe('an API that calls another one for its caller', () => {
  it('exchanges the token of its caller for its own', async () => {
    const { service, tokens } = await withTokens({ resource: MCP })
    const api = await addApi(service, MCP)
    const child = await exchanged(service, api, tokens.access_token, { scope: 'courses:read' })
    expect(await introspect(service, api, child.access_token)).toMatchObject({
      active: true,
      ...{ sub: 'alice', aud: MCP, scope: 'courses:read', client_id: api.clientId },
      act: { sub: api.clientId },
    })
    expect(await introspect(service, api, tokens.access_token)).toEqual({ active: false })
  })

  it('TX-03: is in an act chain that no caller can forge, of at most three actors', async () => {
    const { service, client, tokens } = await withTokens()
    const api = await addApi(service, ISSUER)
    const one = await exchanged(service, client, tokens.access_token, { act: '{"sub":"boss"}' })
    const two = await exchanged(service, api, one.access_token)
    const three = await exchanged(service, api, two.access_token)
    const app = client.clientId
    expect(await introspect(service, api, three.access_token)).toMatchObject({
      act: { sub: api.clientId, act: { sub: api.clientId, act: { sub: app } } },
    })
    expect(bodyOf(await exchange(service, api, three.access_token))).toMatchObject({
      error: 'invalid_request',
    })
  })

  it('may revoke its own token, and not the token of its caller', async () => {
    const { service, tokens } = await withTokens()
    const api = await addApi(service, ISSUER)
    const child = await exchanged(service, api, tokens.access_token)
    expect((await revoke(service, api, tokens.access_token)).status).toBe(400)
    expect((await revoke(service, api, child.access_token)).status).toBe(200)
    expect(await isLive(service, child.access_token)).toBe(false)
    expect(await isLive(service, tokens.access_token)).toBe(true)
  })

  it('TX-08: loses its exchanged tokens when the operator removes it, and its callers keep theirs', async () => {
    const { service, client, tokens } = await withTokens()
    const [api, next] = [await addApi(service, ISSUER), await addApi(service, ISSUER)]
    const own = await exchanged(service, client, tokens.access_token)
    const child = await exchanged(service, api, tokens.access_token)
    const grandchild = await exchanged(service, next, child.access_token)
    await service.server.clients.remove(api.clientId)
    expect(await isLive(service, child.access_token)).toBe(false)
    expect(await isLive(service, grandchild.access_token)).toBe(false)
    expect(await isLive(service, own.access_token)).toBe(true)
    expect(await isLive(service, tokens.access_token)).toBe(true)
  })

  it('gets no scope that it is not registered for', async () => {
    const { service, tokens } = await withTokens()
    const api = await addApi(service, ISSUER, { scopes: ['courses:read', 'students:read'] })
    expect((await exchanged(service, api, tokens.access_token)).scope).toBe('courses:read')
    const other = await addApi(service, ISSUER, { scopes: ['students:read'] })
    expect(bodyOf(await exchange(service, other, tokens.access_token)).error).toBe('invalid_scope')
  })
})

type Provoke = (input: Awaited<ReturnType<typeof withTokens>>) => ReturnType<typeof exchange>

const UNKNOWN = `gka_${'x'.repeat(22)}.${'y'.repeat(43)}`
const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt'

/** Invalid subject tokens, and tokens of another client. */
const NOT_EXCHANGED: Readonly<Record<string, Provoke>> = {
  'an unknown token': ({ service, client }) => exchange(service, client, UNKNOWN),
  'no token at all': ({ service, client }) => exchange(service, client, 'gka'),
  'a refresh token': ({ service, client, tokens }) => exchange(service, client, tokens.refresh_token),
  'an ID token': ({ service, client, tokens }) => exchange(service, client, tokens.id_token),
  'a guessed secret of a live grant': ({ service, client, tokens }) =>
    exchange(service, client, `${tokens.access_token.slice(0, -43)}${'y'.repeat(43)}`),
  'an expired token': ({ service, client, tokens }) => {
    service.clock.now += 3600
    return exchange(service, client, tokens.access_token)
  },
  'a revoked token': async ({ service, client, tokens }) => {
    await revoke(service, client, tokens.access_token)
    return exchange(service, client, tokens.access_token)
  },
  'a token of another client': async ({ service, tokens }) =>
    exchange(service, await register(service, { grant_types: GRANT_TYPES }), tokens.access_token),
  'a token of another client, in a request of a static client without its resources': async ({
    service,
    tokens,
  }) => exchange(service, await addApi(service, undefined), tokens.access_token),
  'a token of another client, in a request of a self-registered client with such metadata': async ({
    service,
    tokens,
  }) => {
    const secret = { token_endpoint_auth_method: 'client_secret_post' }
    const mark = { token_exchange_resources: [ISSUER] }
    const client = await register(service, { grant_types: GRANT_TYPES, ...secret, ...mark })
    return exchange(service, client, tokens.access_token)
  },
  'a token of another client, in a request of a public static client': async ({ service, tokens }) =>
    exchange(
      service,
      await addApi(service, ISSUER, { tokenEndpointAuthMethod: 'none' }),
      tokens.access_token,
    ),
  'a token for another resource than the API': async ({ service, client }) => {
    const tokens = await tokensFor(service, client, { resource: MCP })
    return exchange(service, await addApi(service, ISSUER), tokens.access_token)
  },
  'a token that its client has handed to an API': async ({ service, client, tokens }) => {
    const child = await exchanged(service, await addApi(service, ISSUER), tokens.access_token)
    return exchange(service, client, child.access_token)
  },
  'another type': ({ service, client, tokens }) =>
    exchange(service, client, tokens.access_token, { subject_token_type: JWT_TYPE }),
  'an actor token': ({ service, client, tokens }) =>
    exchange(service, client, tokens.access_token, { actor_token: tokens.access_token }),
  'a type of an actor token': ({ service, client, tokens }) =>
    exchange(service, client, tokens.access_token, { actor_token_type: ACCESS_TOKEN_TYPE }),
}

describe('the error table of token exchange', () => {
  it.each(Object.entries(NOT_EXCHANGED))(
    'TX-04: what may not be exchanged is refused in one text for all: %s',
    async (_, provoke) => {
      const input = await withTokens()
      const response = await provoke(input)
      const error_description = 'subject_token is expired, revoked, or not exchangeable by this client'
      expect([response.status, bodyOf(response)]).toEqual([
        400,
        { error: 'invalid_request', error_description },
      ])
    },
  )

  it.each([
    ['a scope it lacks', { scope: 'courses:read students:read' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'courses:reed' }, 'invalid_scope'],
    ['a resource it is not for', { resource: ISSUER }, 'invalid_target'],
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
    ['an audience, even its own', { audience: MCP }, 'invalid_target'],
    ['another kind of token', { requested_token_type: JWT_TYPE }, 'invalid_request'],
    ['no time at all', { expires_in: '0' }, 'invalid_request'],
  ])('%s', async (_, more, error) => {
    const { service, client, tokens } = await withTokens({ resource: MCP })
    const response = await exchange(service, client, tokens.access_token, more)
    expect([response.status, bodyOf(response).error]).toEqual([400, error])
  })

  it('TX-05: the ninth exchanged token of a grant is rejected until one expires, and the tokens of the user stay valid', async () => {
    const { service, client, tokens } = await withTokens()
    for (let child = 0; child < 7; child++) await exchanged(service, client, tokens.access_token)
    const last = await exchanged(service, client, tokens.access_token, { expires_in: '100' })
    service.clock.now += 40
    const refused = await exchange(service, client, tokens.access_token)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(bodyOf(await refresh(service, client, tokens.refresh_token))).toMatchObject({
      token_type: 'Bearer',
    })
    expect(await isLive(service, tokens.access_token)).toBe(true)
    await revoke(service, client, last.access_token)
    await exchanged(service, client, tokens.access_token)
  })

  it('of twenty concurrent exchanges, eight get a token and the others 429 or 503', async () => {
    const { service, client, tokens } = await withTokens()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => exchange(service, client, tokens.access_token)),
    )
    const granted = all.filter(({ status }) => status === 200)
    expect(granted.length).toBe(8)
    expect(all.every(({ status }) => [200, 429, 503].includes(status))).toBe(true)
    for (const answer of granted)
      expect(await isLive(service, bodyOf<TokenAnswer>(answer).access_token)).toBe(true)
  })
})

describe('token exchange', () => {
  it('is in the metadata and open to registration only if it is configured', async () => {
    const { service, client } = await withTokens()
    expect(service.server.metadata.grant_types_supported).toContain(TOKEN_EXCHANGE)
    expect(client).toMatchObject({ grant_types: GRANT_TYPES })
    const without = openService()
    expect(without.server.metadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
    expect(bodyOf(await exchange(without, await register(without), 'gka'))).toMatchObject({
      error: 'unsupported_grant_type',
    })
  })

  it('is rejected for a client that did not register the grant type', async () => {
    const { service } = await withTokens()
    const client = await register(service)
    const { access_token } = await tokensFor(service, client)
    expect(bodyOf(await exchange(service, client, access_token)).error).toBe('unauthorized_client')
  })

  it('of the tokens of a resource must be configured by the operator, for an existing resource', async () => {
    const { service } = await withTokens()
    expect(await addApi(service, MCP)).toMatchObject({ tokenExchangeResources: [MCP] })
    await expect(addApi(service, 'https://elsewhere.example')).rejects.toThrow('tokenExchangeResources')
    expect(
      await register(service, { token_exchange_resources: [MCP], redirect_uris: [REDIRECT_URI] }),
    ).not.toHaveProperty('token_exchange_resources')
  })
})
