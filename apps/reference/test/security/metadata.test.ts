import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/oauth/scopes.ts'
import { App } from './app.ts'
import { onTheService } from './on-both-stores.ts'
import { expectError, expectPage } from './safe-answers.ts'

/** The metadata of the service, which no request can change. */

const SERVER = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
const RESOURCES = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
const JWKS = '/api/oauth/jwks'

onTheService('the metadata', (bench) => {
  it('REQ-01, D16: both documents name the configured issuer, byte for byte', async () => {
    for (const path of SERVER) {
      const answer = await bench.send(path)
      expect([answer.status, answer.header('content-type')]).toEqual([200, 'application/json'])
      expect(answer.json().issuer).toBe(bench.base)
    }
  })

  it('REQ-02, REQ-03, D9, D11, D15: both documents list every endpoint, grant type and scope, and nothing that is not there', async () => {
    for (const path of SERVER) {
      const document = (await bench.send(path)).json()
      expect(document).toMatchObject({
        authorization_endpoint: `${bench.base}/oauth/authorize`,
        token_endpoint: `${bench.base}/api/oauth/token`,
        registration_endpoint: `${bench.base}/api/oauth/register`,
        revocation_endpoint: `${bench.base}/api/oauth/revoke`,
        introspection_endpoint: `${bench.base}/api/oauth/introspect`,
        userinfo_endpoint: `${bench.base}/api/oauth/userinfo`,
        jwks_uri: `${bench.base}/api/oauth/jwks`,
        grant_types_supported: ['authorization_code', 'refresh_token'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      })
      expect(document.scopes_supported).toEqual(Object.keys(SCOPES))
      expect(document.scopes_supported).toHaveLength(38)
    }
  })

  it('REQ-04: the members that OpenID Connect requires are present, and the algorithm none is not', async () => {
    const document = (await bench.send('/.well-known/openid-configuration')).json()
    expect(document).toMatchObject({
      subject_types_supported: ['public'],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    })
    const algorithms = document.id_token_signing_alg_values_supported as string[]
    expect(algorithms).toContain('RS256')
    expect(algorithms.join()).not.toMatch(/none|HS/i)
    expect(document.claims_supported).toEqual(
      expect.arrayContaining(['sub', 'iss', 'auth_time', 'name', 'email']),
    )
  })

  it('REQ-06: only metadata and keys may be cached and read from every origin', async () => {
    for (const path of [...SERVER, ...RESOURCES, JWKS]) {
      const answer = await bench.send(path, { headers: [['Origin', 'https://app.example']] })
      expect(answer.header('cache-control'), path).toMatch(/^public, max-age=\d+$/)
      expect(answer.header('access-control-allow-origin'), path).toBe('*')
    }
  })

  it('REQ-08, D11: each resource names itself, its issuer, the header for the token and a small scope to request', async () => {
    for (const [path, resource] of [
      [RESOURCES[0], ''],
      [RESOURCES[1], '/mcp'],
    ] as const) {
      const document = (await bench.send(String(path))).json()
      expect(document).toMatchObject({
        resource: bench.base + resource,
        authorization_servers: [bench.base],
        bearer_methods_supported: ['header'],
      })
      const scopes = document.scopes_supported as string[]
      expect(scopes.every((scope) => scope.endsWith(':read') && scope in SCOPES)).toBe(true)
      expect(scopes.length).toBeLessThan(10)
    }
  })

  it('HT-08, D16, REQ-01: no header and no request line changes a URL in the metadata', async () => {
    const app = await App.register(bench)
    const spoofed = [
      ['Host', 'evil.example'],
      ['X-Forwarded-Host', 'evil.example'],
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Prefix', '/evil'],
      ['X-Forwarded-Port', '666'],
      ['Forwarded', 'host=evil.example;proto=https'],
      ['X-Original-URL', '/evil'],
      ['X-Rewrite-URL', '/evil'],
    ] as const
    const documents = [...SERVER, ...RESOURCES, JWKS, '/openapi.json', '/auth.md', '/llms.txt', '/']
    for (const path of documents)
      expect((await bench.send(path, { headers: spoofed })).body, path).toBe((await bench.send(path)).body)
    const bad = await bench.send('/api/courses', { headers: [...spoofed, ['Authorization', 'Bearer x']] })
    expect(bad.header('www-authenticate')).toContain(`resource_metadata="${bench.base}/`)
    const refused = await bench.send(`/oauth/authorize?${app.query({ scope: 'x' })}`, { headers: spoofed })
    expect(refused.redirected().get('iss')).toBe(bench.base)
    expectPage(await bench.send('/oauth/authorize', { headers: spoofed }))
    const away = await bench.send(`/oauth/authorize?${app.query()}`, { headers: spoofed })
    expect(away.header('location')).toMatch(/^\/login\?/)
    const registered = await bench.send('/api/oauth/register', {
      method: 'POST',
      headers: [...spoofed, ['Content-Type', 'application/json']],
      body: '{"redirect_uris":["http://127.0.0.1/"]}',
    })
    for (const answer of [bad, refused, away, registered]) {
      expect(JSON.stringify([answer.lines, answer.body])).not.toMatch(/evil/)
    }
    const absolute = await bench.send('http://evil.example/.well-known/oauth-authorization-server')
    expect([200, 400, 404]).toContain(absolute.status)
    expect(absolute.body).not.toContain('evil')
    const { access_token } = await app.tokens({ scope: 'courses:write' })
    const added = await bench.send('http://evil.example/api/courses', {
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ['Authorization', `Bearer ${access_token}`],
      ],
      body: '{}',
    })
    expect([201, 400, 404]).toContain(added.status)
    expect(added.header('location') ?? '').not.toContain('evil')
  })

  describe('introspection', () => {
    it('D9, REQ-68: a resource server sees every token, another client its own, and a public one is refused', async () => {
      const app = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post' })
      const { access_token } = await app.tokens({ scope: 'courses:read', resource: bench.base })
      const state = {
        active: true,
        scope: 'courses:read',
        client_id: app.id,
        sub: 'alice-id',
        aud: bench.base,
        iss: bench.base,
        iat: expect.any(Number),
        exp: expect.any(Number),
        token_type: 'Bearer',
      }
      expect(await app.introspect(access_token)).toEqual(state)
      const ask = (credentials: App['credentials']) =>
        bench.post('/api/oauth/introspect', { token: access_token, ...credentials })
      expect((await ask(app.credentials)).json()).toEqual(state)
      const other = await App.register(bench, { token_endpoint_auth_method: 'client_secret_post' }, 'bob')
      const theirs = await ask(other.credentials)
      expect([theirs.status, theirs.json(), theirs.header('cache-control')]).toEqual([
        200,
        { active: false },
        'no-store',
      ])
      const publicApp = await App.register(bench)
      for (const credentials of [publicApp.credentials, {}, { client_id: app.id }])
        expectError(await ask(credentials), 'invalid_client', '', [401])
    })

    it('REQ-68: to a resource server, everything but a live access token looks the same', async () => {
      const app = await App.arrange(bench, {})
      const { refresh_token } = await app.tokens()
      const { access_token, id_token } = await app.tokens()
      await app.revoke(access_token)
      for (const token of [
        access_token,
        refresh_token,
        id_token,
        await app.code(),
        'x',
        'gka_.',
        'x'.repeat(60_000),
        '\0',
      ])
        expect(await app.introspect(token), token.slice(0, 20)).toEqual({ active: false })
    })
  })
})

onTheService(
  'the metadata of an issuer with a path',
  (bench) => {
    it('REQ-05, D16: the metadata of an issuer with a path is found where both standards look for it', async () => {
      const issuer = 'https://school.example/tenant'
      const paths = [
        '/.well-known/oauth-authorization-server/tenant',
        '/.well-known/openid-configuration/tenant',
        '/tenant/.well-known/openid-configuration',
      ]
      for (const path of paths) expect((await bench.send(path)).json().issuer, path).toBe(issuer)
      const resource = (await bench.send('/.well-known/oauth-protected-resource/tenant/mcp')).json()
      expect(resource.resource).toBe(`${issuer}/mcp`)
      expect((await bench.send('/.well-known/oauth-authorization-server')).status).toBe(404)
    })
  },
  { BASE_URL: 'https://school.example/tenant' },
)
