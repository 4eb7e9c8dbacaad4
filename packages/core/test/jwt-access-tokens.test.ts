import { createResourceServer } from '@grantkit/core'
import { type JwtAccessTokenOptions, jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  credentials,
  refresh,
  register,
  type TokenAnswer,
  tokensFor,
} from './client.ts'
import { openDeviceService } from './device-service.ts'
import { ISSUER, openService, type Service } from './service.ts'
import { TEST_KEYS } from './signing-keys.ts'

const API = `${ISSUER}/mcp`
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const OPTIONS = { resources: { [API]: {} } }

/** A service whose tokens for `/mcp` are signed. */
function openSigningService(options: Partial<JwtAccessTokenOptions> = {}) {
  const service = openService({ features: [jwtAccessTokens({ ...OPTIONS, ...options })] })
  const { store, clock, server } = service
  const now = () => clock.now
  const api = createResourceServer({
    ...{ resource: API, store, scopes: SCOPES, now },
    accessTokens: server.accessTokens,
  })
  return { service, api }
}

const SCOPES = { 'courses:read': { description: 'See courses' } } as const

async function withToken(resource: string | null = API, options: Partial<JwtAccessTokenOptions> = {}) {
  const { service, api } = openSigningService(options)
  const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
  const tokens = await tokensFor(service, client, { resource: resource ?? undefined })
  return { service, api, client, tokens, token: tokens.access_token }
}

const bearer = (token: string) => ({
  method: 'GET',
  path: '/',
  query: '',
  body: '',
  headers: { authorization: `Bearer ${token}` },
})

async function introspected(service: Service, client: ClientAnswer, token: string) {
  const form = { ...credentials(client), token }
  return bodyOf(await service.send('POST', '/api/oauth/introspect', { form }))
}

async function revoked(service: Service, client: ClientAnswer, token: string) {
  return service.send('POST', '/api/oauth/revoke', { form: { ...credentials(client), token } })
}

describe('a token for one signed resource', () => {
  it('is a JWT with the header and the claims of RFC 9068, and no others', async () => {
    const { service, client, token } = await withToken()
    expect(decodeProtectedHeader(token)).toEqual({ typ: 'at+jwt', alg: 'ES256', kid: 'test-ES256' })
    expect(decodeJwt(token)).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: API,
      client_id: client.clientId,
      iat: service.clock.now,
      exp: service.clock.now + 300,
      jti: expect.stringMatching(/^[\w-]{22}\.[\w-]{43}$/),
      scope: 'openid profile courses:read',
      auth_time: service.clock.now,
    })
  })

  it('verifies with the published keys', async () => {
    const { service, token } = await withToken()
    const { keys } = bodyOf<{ keys: JWK[] }>(await service.send('GET', '/api/oauth/jwks'))
    const options = {
      issuer: ISSUER,
      audience: API,
      typ: 'at+jwt',
      currentDate: new Date(1000 * service.clock.now),
    }
    await expect(jwtVerify(token, createLocalJWKSet({ keys }), options)).resolves.toBeDefined()
  })

  it.each([1, 120, 600])(
    'has the lifetime of its resource, and the response shows it: %i',
    async (lifetime) => {
      const { tokens } = await withToken(API, { resources: { [API]: { lifetime, alg: 'RS256' } } })
      expect(tokens.expires_in).toBe(lifetime)
      expect(decodeProtectedHeader(tokens.access_token).alg).toBe('RS256')
    },
  )

  it('is accepted by the guard with the store, until it is revoked or expires', async () => {
    const { service, api, client, token } = await withToken()
    expect(await api.access(bearer(token), 'courses:read')).toMatchObject({
      kind: 'authorized',
      token: { subject: 'alice', resources: [API] },
    })
    service.clock.now += 300
    expect(await api.access(bearer(token))).toMatchObject({ kind: 'refused', response: { status: 401 } })
    service.clock.now -= 300
    await revoked(service, client, token)
    expect(await api.access(bearer(token))).toMatchObject({ kind: 'refused', response: { status: 401 } })
  })

  it('is introspected and revoked like any other', async () => {
    const { service, client, token } = await withToken()
    expect(await introspected(service, client, token)).toMatchObject({ active: true, aud: API, sub: 'alice' })
    const attacker = await register(service)
    expect((await revoked(service, attacker, token)).status).toBe(400)
    expect((await revoked(service, client, token)).status).toBe(200)
    expect(await introspected(service, client, token)).toEqual({ active: false })
    expect((await revoked(service, client, token)).status, 'once more').toBe(200)
  })

  it('is revoked with its grant', async () => {
    const { service, api, client, tokens, token } = await withToken()
    await revoked(service, client, tokens.refresh_token)
    expect(await api.access(bearer(token))).toMatchObject({ kind: 'refused' })
  })

  it('names its grant before it is verified, and a text of another form names none', async () => {
    const { service, token, tokens } = await withToken()
    const { grantIdOf } = service.server.accessTokens
    const [grantId] = String(decodeJwt(token).jti).split('.')
    expect([token, `x${token}`, tokens.id_token, 'eyJx.y.z'].map(grantIdOf)).toEqual([grantId, ...Array(3)])
  })

  it('has the same claims when a lost response is repeated', async () => {
    const { service, client, tokens } = await withToken()
    const once = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    service.clock.now += 10
    const again = bodyOf<TokenAnswer>(await refresh(service, client, tokens.refresh_token))
    expect(decodeJwt(again.access_token)).toEqual(decodeJwt(once.access_token))
  })
})

describe('a token that stays opaque', () => {
  it.each([
    ['no resource', null],
    ['another resource', ISSUER],
  ])('is one for %s', async (_, resource) => {
    const { tokens } = await withToken(resource)
    expect(tokens.access_token).toMatch(/^gka_/)
    expect(tokens.expires_in).toBe(3600)
  })

  it('is a token for several resources, since a JWT has one audience', () => {
    const { accessTokens } = openSigningService().service.server
    expect([accessTokens.longest?.([API]), accessTokens.longest?.([API, ISSUER])]).toEqual([300, undefined])
  })
})

describe('the guard rejects a text that is no token', () => {
  const forged = async (change: { typ?: string; iss?: string; kid?: string }, token: string) => {
    const key = TEST_KEYS.find(({ alg }) => alg === 'ES256')
    if (key === undefined) throw new Error('no key')
    const { typ = 'at+jwt', kid = key.kid, ...claims } = change
    const payload = { ...decodeJwt(token), ...claims }
    return new SignJWT(payload).setProtectedHeader({ typ, alg: 'ES256', kid }).sign(key)
  }
  const unsigned = (token: string) => {
    const [, payload] = token.split('.')
    return `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`
  }
  const changed = (token: string, claims: object) => {
    const [head, , signature] = token.split('.')
    return `${head}.${Buffer.from(JSON.stringify({ ...decodeJwt(token), ...claims })).toString('base64url')}.${signature}`
  }

  it.each<[string, (token: string, tokens: TokenAnswer) => string | Promise<string>]>([
    ['an ID token', (_, { id_token }) => id_token],
    ['a JWT of another type', (token) => forged({ typ: 'JWT' }, token)],
    ['a JWT of another issuer', (token) => forged({ iss: 'https://evil.example' }, token)],
    ['a JWT of an unknown key', (token) => forged({ kid: 'other' }, token)],
    ['a JWT without a signature', unsigned],
    ['a JWT whose claims were changed', (token) => changed(token, { scope: 'courses:write' })],
    ['the jti as an opaque token', (token) => `gka_${decodeJwt(token).jti}`],
    ['a JWT whose end is cut off', (token) => token.slice(0, -4)],
  ])('%s', async (_, other) => {
    const { service, api, client, tokens, token } = await withToken()
    const text = await other(token, tokens)
    expect(await api.access(bearer(text))).toMatchObject({ kind: 'refused', response: { status: 401 } })
    expect(await introspected(service, client, text)).toEqual({ active: false })
    expect((await revoked(service, client, text)).status).toBe(200)
    expect(await api.access(bearer(token)), 'and the token itself is still good').toMatchObject({
      kind: 'authorized',
    })
  })

  it('a token of another resource', async () => {
    const { service, token } = await withToken()
    expect(await service.callApi(token)).toMatchObject({ kind: 'refused', response: { status: 401 } })
  })
})

it('a JWT access token is no id_token_hint', async () => {
  const { service, client, token } = await withToken()
  const query = authorizationQuery(client.clientId, { prompt: 'none', id_token_hint: token })
  const { headers } = await authorize(service, query)
  expect(headers.location).toContain('error=login_required')
})

it('an exchanged token has an act claim, and at most the lifetime of a JWT', async () => {
  const signed = jwtAccessTokens({ resources: { [API]: { lifetime: 60 } } })
  const service = openService({ features: [signed, tokenExchange()] })
  const client = await register(service, { grant_types: ['authorization_code', TOKEN_EXCHANGE] })
  const { access_token } = await tokensFor(service, client, { resource: API })
  const form = {
    ...credentials(client),
    grant_type: TOKEN_EXCHANGE,
    subject_token: access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    scope: 'courses:read',
  }
  const answer = bodyOf<TokenAnswer>(await service.send('POST', '/api/oauth/token', { form }))
  expect(decodeJwt(answer.access_token)).toMatchObject({
    sub: 'alice',
    client_id: client.clientId,
    act: { sub: client.clientId },
    scope: 'courses:read',
    exp: service.clock.now + 60,
  })
})

it('a device gets a JWT too, with at most the lifetime of a JWT', async () => {
  const features = [jwtAccessTokens(OPTIONS)]
  const { start, approve, poll } = await openDeviceService({ server: { features } })
  const started = await start({ resource: API })
  await approve(started)
  const { access_token, expires_in } = bodyOf<TokenAnswer>(await poll(started))
  const { exp = 0, iat = 0 } = decodeJwt(access_token)
  expect([expires_in, exp - iat]).toEqual([300, 300])
})

describe('jwtAccessTokens rejects', () => {
  const created = (resources: JwtAccessTokenOptions['resources']) => () =>
    openService({ features: [jwtAccessTokens({ resources })], keys: TEST_KEYS.slice(0, 1) })

  it.each<[string, JwtAccessTokenOptions['resources'], RegExp]>([
    ['a lifetime of more than ten minutes', { [API]: { lifetime: 601 } }, /lifetime must be/],
    ['a lifetime of none', { [API]: { lifetime: 0 } }, /lifetime must be/],
    ['an algorithm without a key', { [API]: { alg: 'EdDSA' } }, /needs a key for EdDSA/],
    ['a resource that is no URL', { mcp: {} }, /: resources\['mcp'\] must be an absolute URI/],
    [
      'a resource that the server does not have',
      { 'https://other.example': {} },
      /is not a resource of the server/,
    ],
  ])('%s', (_, resources, message) => {
    expect(created(resources)).toThrow(message)
  })
})
