import { describe, expect, it } from 'vitest'
import { claimsOfScopes } from '../src/openid/id-token.ts'
import { bodyOf, register, tokensFor } from './client.ts'
import { ISSUER, openService, SCOPES, type Service, type ServiceScope } from './service.ts'

const AS = '/.well-known/oauth-authorization-server'
const OIDC = '/.well-known/openid-configuration'

describe('the server metadata', () => {
  it('REQ-01, REQ-02, REQ-04, D9, D16: the metadata describes the server, equally at both addresses', async () => {
    const service = openService()
    const document = await service.send('GET', AS)
    expect((await service.send('GET', OIDC)).body).toBe(document.body)
    expect(bodyOf(document)).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/api/oauth/token`,
      registration_endpoint: `${ISSUER}/api/oauth/register`,
      revocation_endpoint: `${ISSUER}/api/oauth/revoke`,
      introspection_endpoint: `${ISSUER}/api/oauth/introspect`,
      userinfo_endpoint: `${ISSUER}/api/oauth/userinfo`,
      jwks_uri: `${ISSUER}/api/oauth/jwks`,
      scopes_supported: ['openid', 'profile', 'email', 'courses:read', 'courses:write', 'students:read'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
      introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      claim_types_supported: ['normal'],
      claims_supported: [
        ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'azp'],
        ...claimsOfScopes(['profile', 'email'], SCOPES),
      ],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      require_request_uri_registration: false,
    })
  })

  it('REQ-03: the metadata names only endpoints that exist', async () => {
    const service = openService()
    const document = bodyOf<Record<string, string>>(await service.send('GET', AS))
    const named = Object.entries(document).filter(
      ([name]) => name.endsWith('_endpoint') || name === 'jwks_uri',
    )
    const paths = service.server.routes.map(({ path }) => path)
    expect(named).toHaveLength(7)
    for (const [, address] of named) expect(paths).toContain(address.replace(ISSUER, ''))
  })

  it.each([AS, OIDC, '/.well-known/oauth-protected-resource', '/api/oauth/jwks'])(
    'HT-08, REQ-01, REQ-06: anyone may read and cache a document, and no header changes it: %s',
    async (path) => {
      const response = await openService().send('GET', path, {
        headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      })
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': expect.stringContaining('public'),
        'access-control-allow-origin': '*',
      })
      expect(response.body).not.toContain('evil')
      expect(await openService().send('HEAD', path)).toMatchObject({ status: 200, body: '' })
      expect((await openService().send('POST', path)).status).toBe(405)
    },
  )

  it('sends a document again only when it changed', async () => {
    const service = openService()
    const { etag } = (await service.send('GET', AS)).headers
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await service.send('GET', AS, { headers: { 'if-none-match': String(known) } })
      expect([answer.status, answer.body, answer.headers.etag]).toEqual([304, '', etag])
    }
    expect((await service.send('GET', AS, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    const changed = openService({ documentation: 'https://server.example/auth.md' })
    expect((await changed.send('GET', AS)).headers.etag).not.toBe(etag)
  })

  it('REQ-05, D16: the metadata keeps the issuer unchanged, and puts its path where each document needs it', async () => {
    const issuer = 'https://server.example/auth/'
    const { server } = openService({ issuer, resources: [issuer] })
    const paths = server.routes.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/auth/oauth/authorize',
        '/auth/api/oauth/token',
        '/.well-known/oauth-authorization-server/auth',
        '/.well-known/openid-configuration/auth',
        '/auth/.well-known/openid-configuration',
        '/.well-known/oauth-protected-resource/auth',
      ]),
    )
    const route = server.routes.find(({ path }) => path === '/.well-known/oauth-authorization-server/auth')
    const response = await route?.handle({ method: 'GET', path: '', query: '', headers: {}, body: '' })
    expect(JSON.parse(response?.body ?? '')).toMatchObject({
      issuer,
      token_endpoint: 'https://server.example/auth/api/oauth/token',
    })
  })
})

describe('the protected-resource metadata', () => {
  it.each([
    ['', ISSUER],
    ['/mcp', `${ISSUER}/mcp`],
  ])(
    'REQ-08, D11: each resource names itself, its issuer and a small scope: %s',
    async (suffix, resource) => {
      expect(
        bodyOf(await openService().send('GET', `/.well-known/oauth-protected-resource${suffix}`)),
      ).toEqual({
        resource,
        authorization_servers: [ISSUER],
        scopes_supported: ['courses:read'],
        bearer_methods_supported: ['header'],
      })
    },
  )
})

it('the protected-resource metadata lists no scopes if none is baseline (RFC 9728 3.2)', async () => {
  const service = openService({ scopes: { openid: { description: 'Sign you in' } } as never })
  const document = bodyOf(await service.send('GET', '/.well-known/oauth-protected-resource'))
  expect(document).not.toHaveProperty('scopes_supported')
})

describe('a described resource', () => {
  const described = {
    resource: `${ISSUER}/mcp`,
    name: 'Courses for agents',
    scopes: ['courses:read', 'courses:write'],
    documentation: 'https://server.example/agents',
  } as const
  const documentAt = async (service: Service, suffix: string) =>
    bodyOf(await service.send('GET', `/.well-known/oauth-protected-resource${suffix}`))

  it('has its name, its documentation and its own scopes, next to a plain one', async () => {
    const service = openService({
      resources: [ISSUER, described],
      documentation: 'https://server.example/auth.md',
    })
    expect(await documentAt(service, '/mcp')).toEqual({
      resource: described.resource,
      resource_name: described.name,
      authorization_servers: [ISSUER],
      scopes_supported: described.scopes,
      bearer_methods_supported: ['header'],
      resource_documentation: described.documentation,
    })
    expect(await documentAt(service, '')).toMatchObject({
      scopes_supported: ['courses:read'],
      resource_documentation: 'https://server.example/auth.md',
    })
  })

  it('is a resource that tokens can be bound to', async () => {
    const service = openService({ resources: [described] })
    const tokens = await tokensFor(service, await register(service), { resource: described.resource })
    expect(tokens).toHaveProperty('access_token')
  })

  it('may have no scope that does not exist', () => {
    const resources = [{ ...described, scopes: ['courses:raed' as ServiceScope] }]
    expect(() => openService({ resources })).toThrow(
      'resources[0].scopes: courses:raed is not in the catalogue',
    )
  })
})

describe('resources with one path on several hosts', () => {
  const resourceAt = async (service: Service, host?: string) => {
    const headers = host === undefined ? {} : { host }
    const path = '/.well-known/oauth-protected-resource/mcp'
    return bodyOf(await service.send('GET', path, { headers })).resource
  }

  it('have a document each, by the host of the request', async () => {
    const service = openService({ resources: ['https://a.example/mcp', 'https://b.example:8443/mcp'] })
    expect(await resourceAt(service, 'B.example:8443')).toBe('https://b.example:8443/mcp')
    for (const host of ['a.example', 'c.example', undefined])
      expect(await resourceAt(service, host), host).toBe('https://a.example/mcp')
  })

  it('do not displace the document of this server', async () => {
    const service = openService({ resources: ['https://a.example/mcp', `${ISSUER}/mcp`] })
    expect(await resourceAt(service, '10.0.0.1:3000')).toBe(`${ISSUER}/mcp`)
    expect(await resourceAt(service, 'a.example')).toBe('https://a.example/mcp')
  })

  it('cannot be two on one host', () => {
    const resources = ['https://a.example/mcp', 'https://b.example/mcp', 'https://a.example/mcp/']
    expect(() => openService({ resources })).toThrow(
      'resources: https://a.example/mcp/ would have its metadata where https://a.example/mcp has it: /.well-known/oauth-protected-resource/mcp',
    )
  })
})

it('a server without registration neither has nor lists the endpoint', () => {
  const { server } = openService({ registration: false })
  expect(server.metadata).not.toHaveProperty('registration_endpoint')
  expect(server.routes.map(({ path }) => path)).not.toContain('/api/oauth/register')
  expect(server.metadata).toMatchObject({ grant_types_supported: ['authorization_code', 'refresh_token'] })
})

describe('both documents', () => {
  it('name the documentation, if there is one', async () => {
    const documentation = 'https://server.example/auth.md'
    const service = openService({ documentation })
    expect(bodyOf(await service.send('GET', AS))).toMatchObject({ service_documentation: documentation })
    expect(bodyOf(await service.send('GET', '/.well-known/oauth-protected-resource'))).toMatchObject({
      resource_documentation: documentation,
    })
  })
})

describe('the key set', () => {
  it('JW-07, REQ-07: the key set shows public keys only, each with its id, use and algorithm', async () => {
    const { keys } = bodyOf<{ keys: Record<string, string>[] }>(
      await openService().send('GET', '/api/oauth/jwks'),
    )
    expect(keys.map(({ kid, use, alg }) => [kid, use, alg])).toEqual([
      ['test-RS256', 'sig', 'RS256'],
      ['test-ES256', 'sig', 'ES256'],
      ['test-EdDSA', 'sig', 'EdDSA'],
    ])
    for (const key of keys)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'])
        expect(key).not.toHaveProperty(secret)
  })
})
