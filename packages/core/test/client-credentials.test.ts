import { createResourceServer, type StaticClient } from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { dpop } from '@grantkit/core/dpop'
import type { Client, Stored } from '@grantkit/core/feature'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens } from '@grantkit/core/jwt-access-tokens'
import { createJwtResourceServer } from '@grantkit/core/jwt-resource-server'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE, tokenExchange } from '@grantkit/core/token-exchange'
import { describe, expect, it } from 'vitest'
import { bodyOf, type ClientAnswer, credentials, register, requestToken, type TokenAnswer } from './client.ts'
import { provingKey } from './dpop-key.ts'
import { proven, token } from './dpop-service.ts'
import { ISSUER, openService, REDIRECT_URI, type Service } from './service.ts'
import { assertionForm, assertionOf, newKey } from './signed-assertions.ts'

const GRANT = 'client_credentials'
const JOB: StaticClient = {
  clientName: 'Nightly job',
  redirectUris: [],
  grantTypes: [GRANT],
  clientCredentialsScopes: ['courses:read', 'courses:write'],
}

const open = (options: Parameters<typeof openService>[0] = {}) =>
  openService({ features: [clientCredentials(), forwardAuth()], ...options })

async function openJob(metadata: object = {}, options?: Parameters<typeof openService>[0]) {
  const service = open(options)
  const job = await service.server.clients.add({ ...JOB, ...metadata })
  return { service, job }
}

const clientCredentialsToken = (service: Service, client: ClientAnswer, form: Record<string, string> = {}) =>
  requestToken(service, { grant_type: GRANT, ...credentials(client), ...form })

/** The API of the service, with a route that accepts client-credentials tokens and one for users. */
function guards({ store, clock }: Service) {
  const scopes = { 'courses:read': { description: '' }, 'courses:write': { description: '' } }
  const api = createResourceServer({ resource: ISSUER, store, scopes, now: () => clock.now })
  const request = (token: string) => ({
    ...{ method: 'GET', path: '/', query: '', body: '' },
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    users: (token: string) => api.access(request(token), 'courses:read'),
    clientCredentials: (token: string, scope: 'courses:read' | 'courses:write' = 'courses:read') =>
      api.allowing({ clientCredentials: true }).access(request(token), scope),
  }
}

const tokenOf = async (...requested: Parameters<typeof clientCredentialsToken>) =>
  bodyOf<TokenAnswer>(await clientCredentialsToken(...requested)).access_token

describe('client credentials', () => {
  it('the response shows the scope and resource of the token, if the option is on', async () => {
    const { service, job } = await openJob({}, { resourceInTokenResponse: true })
    const all = [ISSUER, `${ISSUER}/mcp`]
    expect(bodyOf(await clientCredentialsToken(service, job))).toMatchObject({ resource: all })
    const bound = await clientCredentialsToken(service, job, { resource: ISSUER })
    expect(bodyOf(bound)).toMatchObject({ resource: ISSUER })
  })

  it('MA-03: a client gets a token for itself, with exactly the scopes that the operator registered', async () => {
    const { service, job } = await openJob()
    const answer = await clientCredentialsToken(service, job)
    expect(answer.status).toBe(200)
    expect(bodyOf(answer)).toEqual({
      access_token: expect.stringMatching(/^gka_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'courses:read courses:write',
    })
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('a client gets the requested scopes and no more, for the requested resource', async () => {
    const { service, job } = await openJob()
    const form = { scope: 'courses:read', resource: `${ISSUER}/mcp` }
    const answer = bodyOf<TokenAnswer>(await clientCredentialsToken(service, job, form))
    expect(answer.scope).toBe('courses:read')
    const elsewhere = await guards(service).clientCredentials(answer.access_token)
    expect(elsewhere).toMatchObject({ kind: 'refused', response: { status: 401 } })
  })

  it('the token is accepted on a route that allows it, without a subject', async () => {
    const { service, job } = await openJob()
    const access = await guards(service).clientCredentials(await tokenOf(service, job))
    expect(access).toMatchObject({ kind: 'authorized', token: { by: 'client', clientId: job.clientId } })
    expect(access).toHaveProperty('token.subject', undefined)
  })

  it('MA-01: the token is rejected on every other route, at UserInfo and at the gateway, with 403', async () => {
    const { service, job } = await openJob()
    const token = await tokenOf(service, job)
    const headers = { authorization: `Bearer ${token}` }
    const refused = await guards(service).users(token)
    expect(refused).toMatchObject({
      response: {
        status: 403,
        headers: { 'www-authenticate': expect.stringContaining('error="insufficient_scope"') },
      },
    })
    for (const path of ['/api/oauth/userinfo', '/api/oauth/verify']) {
      const answer = await service.send('GET', path, { headers })
      expect([answer.status, bodyOf(answer).error], path).toEqual([403, 'insufficient_scope'])
    }
  })

  it('a missing scope is a 403 as for every token', async () => {
    const { service, job } = await openJob()
    const token = await tokenOf(service, job, { scope: 'courses:read' })
    expect(await guards(service).clientCredentials(token, 'courses:write')).toMatchObject({
      response: { status: 403 },
    })
  })

  it('MA-04: each token is one record, which expires with it, and is in no list of apps', async () => {
    const { service, job } = await openJob()
    const count = async () => {
      let records = 0
      for await (const _ of service.store.grants.scan()) records++
      return records
    }
    for (let time = 0; time < 3; time++) await clientCredentialsToken(service, job)
    expect(await count()).toBe(3)
    for (const subject of [job.clientId, 'undefined', ''])
      expect((await service.server.grants.list(subject)).grants).toEqual([])
    const token = await tokenOf(service, job)
    service.clock.now += 3600
    expect(await guards(service).clientCredentials(token)).toMatchObject({ response: { status: 401 } })
    expect(await count()).toBe(0)
  })

  it('a client may revoke and introspect its token', async () => {
    const { service, job } = await openJob()
    const token = await tokenOf(service, job)
    const introspect = async () =>
      bodyOf(await service.send('POST', '/api/oauth/introspect', { form: { ...credentials(job), token } }))
    expect(await introspect()).toEqual({
      active: true,
      scope: 'courses:read courses:write',
      client_id: job.clientId,
      aud: [ISSUER, `${ISSUER}/mcp`],
      iss: ISSUER,
      iat: service.clock.now,
      exp: service.clock.now + 3600,
      token_type: 'Bearer',
    })
    await service.send('POST', '/api/oauth/revoke', { form: { ...credentials(job), token } })
    expect(await introspect()).toEqual({ active: false })
    expect(await guards(service).clientCredentials(token)).toMatchObject({ response: { status: 401 } })
  })

  it('a token is bound to the key of a DPoP proof', async () => {
    const { service, job } = await openJob({}, { features: [clientCredentials(), dpop()] })
    const key = provingKey()
    const form = { grant_type: GRANT, ...credentials(job) }
    const headers = proven(service, '/api/oauth/token', {}, key)
    const answer = bodyOf<TokenAnswer>(await token(service, form, headers))
    const asked = { ...credentials(job), token: answer.access_token }
    const described = bodyOf(await service.send('POST', '/api/oauth/introspect', { form: asked }))
    expect([answer.token_type, described.cnf]).toEqual(['DPoP', { jkt: key.thumbprint }])
    expect(await guards(service).clientCredentials(answer.access_token)).toMatchObject({ kind: 'refused' })
  })

  it('the record of an earlier release has its scopes under another name, in one text', async () => {
    const { service, job } = await openJob()
    const seen = (await service.store.clients.find(job.clientId)) as Stored<Client>
    const featureMetadata = { machine_scopes: 'courses:read students:read' }
    const { expiresAt } = seen.value
    await service.store.clients.replace(job.clientId, seen, { ...seen.value, featureMetadata }, expiresAt)
    const { scope } = bodyOf<TokenAnswer>(await clientCredentialsToken(service, job))
    expect(scope).toBe('courses:read students:read')
  })

  it('the removal of a client revokes all its tokens', async () => {
    const { service, job } = await openJob()
    const tokens = [await tokenOf(service, job), await tokenOf(service, job)]
    expect(await service.server.clients.remove(job.clientId)).toEqual({ existed: true, grantsEnded: 2 })
    for (const token of tokens)
      expect(await guards(service).clientCredentials(token)).toMatchObject({ response: { status: 401 } })
    expect((await clientCredentialsToken(service, job)).status).toBe(401)
  })

  it('the tokens stay valid when the key of the client changes', async () => {
    const [first, second] = [await newKey(), await newKey()]
    const host = { keys: [first.jwk] }
    const headers = { 'content-type': 'application/json' }
    const fetch = async () => ({ status: 200, headers, body: JSON.stringify(host) })
    const features = [clientCredentials(), clientAssertion({ fetch })]
    const keys = { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://job.dev/keys' }
    const { service, job } = await openJob(keys, { features })
    const ask = async (key: typeof first) => {
      const proof = assertionForm(await assertionOf(service, key, job.clientId))
      return requestToken(service, { grant_type: GRANT, ...proof })
    }
    const { access_token } = bodyOf<TokenAnswer>(await ask(first))
    host.keys = [second.jwk]
    service.clock.now += 301
    expect([(await ask(first)).status, (await ask(second)).status]).toEqual([401, 200])
    expect((await guards(service).clientCredentials(access_token)).kind).toBe('authorized')
  })

  it('the event has the client id', async () => {
    const { service, job } = await openJob()
    await clientCredentialsToken(service, job)
    expect(service.events).toContainEqual({
      type: 'client_credentials_token_issued',
      clientId: job.clientId,
      grantId: expect.any(String),
    })
  })

  it('a client has a rate limit per network, and gets a 429 beyond it', async () => {
    const taken = new Map<string, number>()
    const rateLimiter = {
      async take(limit: string, key: string) {
        const name = `${limit} ${key}`
        taken.set(name, (taken.get(name) ?? 0) + 1)
        return Number(taken.get(name)) > 2 ? 30 : 0
      },
    }
    const { service, job } = await openJob({}, { rateLimiter })
    const form = { ...credentials(job), grant_type: GRANT }
    const from = (remoteAddress: string) => service.send('POST', '/api/oauth/token', { form, remoteAddress })
    for (const status of [200, 200, 429]) expect((await from('203.0.113.7')).status).toBe(status)
    expect((await from('203.0.113.7')).headers['retry-after']).toBe('30')
    expect((await from('198.51.100.9')).status, 'the same job elsewhere').toBe(200)
    const lines = ['2001:db8:1:a01::1', '2001:db8:1:a02::1', '2001:db8:1:a03::1']
    for (const [index, status] of [200, 200, 429].entries())
      expect((await from(String(lines[index]))).status, 'a line with many networks').toBe(status)
    const counted = [
      ['client_credentials', '203.0.113.7'],
      ['client_credentials', '198.51.100.9'],
      ['client_credentials', '2001:db8:1:a01::/64'],
      ['client_credentials_56', '2001:db8:1:a00::/56'],
      ['client_credentials_48', '2001:db8:1::/48'],
      ['client_credentials', '2001:db8:1:a02::/64'],
      ['client_credentials', '2001:db8:1:a03::/64'],
    ].map(([limit, network]) => `${limit} ${job.clientId} ${network}`)
    expect([...taken.keys()], 'and no failures of the client').toEqual(counted)
  })

  it('a client may authenticate with private_key_jwt', async () => {
    const key = await newKey()
    const features = [clientCredentials(), clientAssertion()]
    const metadata = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.jwk] } }
    const { service, job } = await openJob(metadata, { features })
    const form = assertionForm(await assertionOf(service, key, job.clientId))
    const answer = await requestToken(service, { grant_type: GRANT, ...form })
    expect([answer.status, bodyOf(answer).scope]).toEqual([200, 'courses:read courses:write'])
    expect((await requestToken(service, { grant_type: GRANT, ...form })).status, 'a replay').toBe(401)
  })
})

describe('a client-credentials token that is a JWT', () => {
  const resource = `${ISSUER}/mcp`
  const signed = jwtAccessTokens({ resources: { [resource]: {} } })

  it('has no subject at a guard without the store, has the usual lifetime, and is accepted only where allowed', async () => {
    const features = [clientCredentials(), signed]
    const { service, job } = await openJob({}, { features })
    const { access_token, expires_in } = bodyOf<TokenAnswer>(
      await clientCredentialsToken(service, job, { resource }),
    )
    expect(expires_in).toBe(300)
    const keys = JSON.parse((await service.send('GET', '/api/oauth/jwks')).body)
    const scopes = { 'courses:read': { description: '' } }
    const api = createJwtResourceServer({
      issuer: ISSUER,
      resource,
      scopes,
      keys,
      now: () => service.clock.now,
    })
    const headers = { authorization: `Bearer ${access_token}` }
    const request = { method: 'GET', path: '/', query: '', body: '', headers }
    expect(await api.access(request, 'courses:read')).toMatchObject({ response: { status: 403 } })
    const access = await api.allowing({ clientCredentials: true }).access(request, 'courses:read')
    expect(access).toMatchObject({ kind: 'authorized', token: { by: 'client', clientId: job.clientId } })
    expect(access).toHaveProperty('token.subject', undefined)
  })
})

describe('client credentials reject', () => {
  it('an exchange of the token, which has no user', async () => {
    const features = [clientCredentials(), tokenExchange()]
    const { service, job } = await openJob({ grantTypes: [GRANT, TOKEN_EXCHANGE] }, { features })
    const subject = { subject_token: await tokenOf(service, job), subject_token_type: ACCESS_TOKEN_TYPE }
    const form = { grant_type: TOKEN_EXCHANGE, ...credentials(job), ...subject }
    const answer = await requestToken(service, form)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'invalid_request'])
  })

  it.each<[string, Record<string, string>, string]>([
    ['a scope that the operator did not give', { scope: 'courses:read students:read' }, 'invalid_scope'],
    ['the scopes of a user', { scope: 'openid' }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'courses:grade' }, 'invalid_scope'],
    ['scopes that are badly written', { scope: 'courses:read  courses:write' }, 'invalid_scope'],
    ['a resource of another server', { resource: 'https://evil.example' }, 'invalid_target'],
  ])('%s', async (_, form, error) => {
    const { service, job } = await openJob()
    const answer = await clientCredentialsToken(service, job, form)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, error])
  })

  it('a wrong secret, or no secret', async () => {
    const { service, job } = await openJob()
    for (const client_secret of ['wrong', '']) {
      const answer = await clientCredentialsToken(service, { ...job, clientSecret: client_secret })
      expect([answer.status, bodyOf(answer).error]).toEqual([401, 'invalid_client'])
    }
  })

  it('MA-02: a self-registered client, at registration and at the token endpoint', async () => {
    const service = open()
    const requested = {
      grant_types: ['authorization_code', GRANT],
      client_credentials_scopes: 'courses:read',
    }
    for (const token_endpoint_auth_method of ['none', 'client_secret_post']) {
      const app = await register(service, { ...requested, token_endpoint_auth_method })
      expect(app).toMatchObject({ grant_types: ['authorization_code'] })
      expect(app).not.toHaveProperty('client_credentials_scopes')
      expect(bodyOf(await clientCredentialsToken(service, app)).error).toBe('unauthorized_client')
    }
  })

  it('a client whose record has the grant type although its origin does not allow it', async () => {
    const { service, job } = await openJob()
    const stored = await service.store.clients.find(job.clientId)
    if (stored === undefined) throw new Error('The job is not there')
    for (const change of [
      { origin: 'registered' },
      { origin: 'document' },
      { featureMetadata: {} },
      { featureMetadata: { client_credentials_scopes: { scope: 'courses:read' } } },
      { featureMetadata: { client_credentials_scopes: 'openid email' } },
      { tokenEndpointAuthMethod: 'none', secretHash: undefined },
    ] as const) {
      const seen = await service.store.clients.find(job.clientId)
      if (seen === undefined) throw new Error('The job is not there')
      const changed = { ...stored.value, ...change } as never
      await service.store.clients.replace(job.clientId, seen, changed, stored.value.expiresAt)
      const client = 'secretHash' in change ? { clientId: job.clientId } : job
      expect(bodyOf(await clientCredentialsToken(service, client)).error, JSON.stringify(change)).toBe(
        'unauthorized_client',
      )
    }
  })

  it('every client if the feature is not mounted', async () => {
    const service = openService()
    const app = await register(service, { token_endpoint_auth_method: 'client_secret_post' })
    const answer = await clientCredentialsToken(service, app)
    expect([answer.status, bodyOf(answer).error]).toEqual([400, 'unsupported_grant_type'])
    await expect(service.server.clients.add(JOB)).rejects.toMatchObject({ error: 'invalid_client_metadata' })
  })
})

describe('an integration with client credentials', () => {
  it.each<[string, object, string]>([
    ['without scopes', { clientCredentialsScopes: undefined }, 'needs clientCredentialsScopes'],
    [
      'with scopes of users alone',
      { clientCredentialsScopes: undefined, scopes: ['courses:read'] },
      'needs clientCredentialsScopes',
    ],
    [
      'with openid',
      { clientCredentialsScopes: ['openid', 'courses:read'] },
      'openid is no scope for client credentials',
    ],
    ['with email', { clientCredentialsScopes: ['email'] }, 'email is no scope for client credentials'],
    [
      'with a scope that means a user',
      { clientCredentialsScopes: ['account:read'] },
      'account:read is no scope',
    ],
    [
      'with a scope that does not exist',
      { clientCredentialsScopes: ['courses:grade'] },
      'courses:grade is no scope',
    ],
    [
      'with scopes in one text',
      { clientCredentialsScopes: ['a  b'] },
      'a  b is no scope for client credentials',
    ],
    ['that cannot keep a secret', { tokenEndpointAuthMethod: 'none' }, 'authenticates'],
  ])('is refused %s', async (_, metadata, detail) => {
    const scopes = {
      openid: { description: '' },
      email: { description: '' },
      'courses:read': { description: '' },
      'account:read': { description: '', user: true },
    }
    const service = open({ scopes: scopes as never })
    await expect(
      service.server.clients.add({ ...JOB, clientCredentialsScopes: ['courses:read'], ...metadata }),
    ).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: expect.stringContaining(detail),
    })
  })

  it('needs no redirect URI, and cannot use the authorization endpoint', async () => {
    const { service, job } = await openJob()
    expect(job).toMatchObject({
      grantTypes: [GRANT],
      clientCredentialsScopes: JOB.clientCredentialsScopes,
    })
    const code = await requestToken(service, {
      ...{ grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI },
      ...credentials(job),
    })
    expect(bodyOf(code).error).toBe('unauthorized_client')
  })
})

it('the metadata lists the grant type, and without the feature it does not', () => {
  expect(open().server.metadata.grant_types_supported).toContain(GRANT)
  expect(openService().server.metadata.grant_types_supported).not.toContain(GRANT)
})
