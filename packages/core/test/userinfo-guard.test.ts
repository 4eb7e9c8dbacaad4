import { createResourceServer } from '@grantkit/core'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, register, tokensFor } from './client.ts'
import { ISSUER, openService, SCOPES, type Service } from './service.ts'

const METADATA = `${ISSUER}/.well-known/oauth-protected-resource`

async function withToken(overrides: Record<string, string | undefined> = {}) {
  const service = openService()
  const client = await register(service)
  return { service, token: (await tokensFor(service, client, overrides)).access_token }
}

function userinfo(service: Service, token: string | undefined, method = 'GET') {
  return service.send(method, '/api/oauth/userinfo', {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
}

describe('userinfo', () => {
  it.each([
    ['openid', { sub: 'alice' }],
    ['openid profile', { sub: 'alice', name: 'Alice Liddell', updated_at: 1_700_000_000 }],
    ['openid email', { sub: 'alice', email: 'alice@server.example', email_verified: true }],
  ])('REQ-58: UserInfo gives what the scopes open, by GET and POST: %s', async (scope, claims) => {
    const { service, token } = await withToken({ scope })
    for (const method of ['GET', 'POST']) {
      const response = await userinfo(service, token, method)
      expect(bodyOf(response)).toEqual(claims)
      expect(response.headers['cache-control']).toBe('no-store')
    }
  })

  it('returns the claims of a scope of the catalogue, also in the ID token', async () => {
    const scopes = { ...SCOPES, 'students:read': { description: 'See students', claims: ['secret'] } }
    const service = openService({ scopes, idTokenClaims: true })
    expect(service.server.metadata.claims_supported).toContain('secret')
    const tokens = await tokensFor(service, await register(service), { scope: 'openid students:read' })
    expect(bodyOf(await userinfo(service, tokens.access_token))).toEqual({ sub: 'alice', secret: 'x' })
    expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: 'alice', secret: 'x' })
  })

  it('D3: UserInfo challenges a request without a token, without an error code', async () => {
    const response = await userinfo(openService(), undefined)
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      401,
      `Bearer scope="openid", resource_metadata="${METADATA}"`,
    ])
  })

  it('needs openid', async () => {
    const { service, token } = await withToken({ scope: 'profile' })
    const response = await userinfo(service, token)
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="The access token lacks a required scope. Begin a new authorization for it", scope="openid", resource_metadata="${METADATA}"`,
    ])
  })

  it('rejects the token of a removed user', async () => {
    const service = openService({ claims: async () => undefined })
    const { access_token } = await tokensFor(service, await register(service))
    const response = await userinfo(service, access_token)
    expect([response.status, bodyOf(response).error]).toEqual([401, 'invalid_token'])
    expect(response.headers['www-authenticate']).toMatch(/error="invalid_token".* scope="openid"/)
  })
})

describe('the guard', () => {
  it('PR-04, REQ-56: the guard reads a token from the Authorization header only', async () => {
    const { service, token } = await withToken()
    const { store } = service
    const api = createResourceServer({ resource: ISSUER, store, scopes: {}, anonymous: 'allow' })
    const form = `access_token=${token}`
    const elsewhere = { query: form, body: form, headers: { cookie: form } }
    const typed = { ...elsewhere.headers, 'content-type': 'application/x-www-form-urlencoded' }
    for (const method of ['GET', 'POST'])
      expect(await api.access({ ...elsewhere, method, path: '/', headers: typed })).toEqual({
        kind: 'anonymous',
      })
    expect((await service.send('POST', '/api/oauth/userinfo', { form })).status).toBe(401)
    expect((await service.send('GET', '/api/oauth/userinfo', { query: form })).status).toBe(401)
  })

  it('serves a request without a token as anonymous', async () => {
    expect(await openService().callApi(undefined, 'courses:write')).toEqual({ kind: 'anonymous' })
  })

  it('accepts no token of a grant that lost its user', async () => {
    const { service, token } = await withToken()
    const { grants } = service.store
    const { find } = grants
    grants.find = async (id) => {
      const found = await find(id)
      return found && { ...found, value: { ...found.value, subject: undefined } }
    }
    expect(await service.callApi(token, 'courses:read')).toMatchObject({
      kind: 'refused',
      response: { status: 401 },
    })
  })

  it('accepts a token with the scope and returns its user', async () => {
    const { service, token } = await withToken()
    expect(await service.callApi(token, 'courses:read')).toMatchObject({
      kind: 'authorized',
      token: { subject: 'alice', scopes: ['openid', 'profile', 'courses:read'], resources: [] },
    })
  })

  it.each(['nonsense', 'x'.repeat(5000), 'a b', ''])(
    'PR-02, REQ-54: an invalid token is a 401, and never anonymous: %j',
    async (token) => {
      const access = await openService().callApi(token)
      expect(access).toMatchObject({ kind: 'refused', response: { status: 401 } })
      if (access.kind === 'refused') {
        expect(access.response.headers['www-authenticate']).toContain(`resource_metadata="${METADATA}"`)
        expect(bodyOf(access.response).error).toBe('invalid_token')
      }
    },
  )

  it('rejects a token from the second of its expiry', async () => {
    const { service, token } = await withToken()
    service.clock.now += 3599
    expect((await service.callApi(token)).kind).toBe('authorized')
    service.clock.now += 1
    expect((await service.callApi(token)).kind).toBe('refused')
  })

  it('names the required scopes in the challenge of a rejected token', async () => {
    const access = await openService().callApi('gone', 'courses:read', 'courses:write')
    expect(access).toMatchObject({ kind: 'refused', response: { status: 401 } })
    const challenge = access.kind === 'refused' ? access.response.headers['www-authenticate'] : ''
    expect(challenge).toContain('error="invalid_token"')
    expect(challenge).toContain('scope="courses:read courses:write"')
  })

  it('PR-03, REQ-55: a token that lacks a scope is a 403 that names every required one', async () => {
    const { service, token } = await withToken()
    const access = await service.callApi(token, 'courses:read', 'courses:write')
    expect(access).toMatchObject({ kind: 'refused', response: { status: 403 } })
    const challenge = access.kind === 'refused' ? access.response.headers['www-authenticate'] : ''
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="courses:read courses:write"')
    expect(challenge).toContain(`resource_metadata="${METADATA}"`)
  })

  it.each([
    [undefined, true, true],
    [ISSUER, true, false],
    [`${ISSUER}/`, true, false],
    [`${ISSUER}/mcp`, false, true],
  ])('RS-02, REQ-51: a token is accepted only where it is bound: %s', async (resource, atApi, atMcp) => {
    const { service, token } = await withToken({ resource })
    const mcp = createResourceServer({
      resource: `${ISSUER}/mcp`,
      store: service.store,
      scopes: {},
      now: () => service.clock.now,
    })
    const request = {
      method: 'GET',
      path: '/mcp',
      query: '',
      headers: { authorization: `Bearer ${token}` },
      body: '',
    }
    expect((await service.callApi(token)).kind === 'authorized').toBe(atApi)
    expect((await userinfo(service, token)).status).toBe(atApi ? 200 : 401)
    const access = await mcp.access(request)
    expect(access.kind === 'authorized').toBe(atMcp)
    if (access.kind === 'refused') {
      expect(access.response.headers['www-authenticate']).toContain(
        `${ISSUER}/.well-known/oauth-protected-resource/mcp`,
      )
    }
  })

  it('rejects a request without a token unless anonymous requests are allowed', async () => {
    const { store } = openService()
    const closed = createResourceServer({ resource: ISSUER, store, scopes: {} })
    const access = await closed.access({ method: 'GET', path: '/', query: '', headers: {}, body: '' })
    expect(access).toMatchObject({
      kind: 'refused',
      response: { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${METADATA}"` } },
    })
  })

  it('does not compile with a scope that does not exist', async () => {
    const { service } = await withToken()
    // @ts-expect-error a misspelt scope
    await service.callApi(undefined, 'curses:read')
  })
})
