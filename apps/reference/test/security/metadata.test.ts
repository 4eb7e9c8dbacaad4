import { expect, it } from 'vitest'
import { SCOPES } from '../../src/oauth/scopes.ts'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectPage } from './safe-answers.ts'

/** The metadata of the service, which no request can change. */

const SERVER = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
const RESOURCES = ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']
const JWKS = '/api/oauth/jwks'

onTheService('the metadata', (bench) => {
  it('REQ-01, REQ-02, REQ-03, D9, D11, D15, D16: both documents name the configured issuer, every endpoint, grant type and scope, and nothing that is not there', async () => {
    for (const path of SERVER) {
      const document = (await bench.send(path)).json()
      expect(document).toMatchObject({
        issuer: bench.base,
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
