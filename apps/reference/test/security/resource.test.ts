import { formEncoded } from '@grantkit/testkit/client'
import { describe, expect, it } from 'vitest'
import { App, type Tokens, tokensOf } from './app.ts'
import { later, onTheService } from './on-the-service.ts'
import {
  expectError,
  expectInsufficientScope,
  expectInvalidToken,
  expectNoEffect,
  expectRedirect,
} from './safe-answers.ts'

/** Access tokens at the API, MCP and UserInfo: which are valid where, and for what. */

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'rows', version: '1' } },
})
const MCP_HEADERS = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
] as const

onTheService('a protected resource', (bench) => {
  const mcp = (...headers: (readonly [string, string])[]) =>
    bench.send('/mcp', { method: 'POST', headers: [...MCP_HEADERS, ...headers], body: INITIALIZE })
  const bearer = (token: string) => ['Authorization', `Bearer ${token}`] as const

  describe('the audience of a token', () => {
    it('RS-01, D10: an unknown resource is refused, at authorization and at the token endpoint', async () => {
      const app = await App.register(bench)
      const wrong = ['https://elsewhere.example', '/mcp', 'x', `${bench.base}/MCP`, `${bench.base}/mcp/`]
      for (const resource of [...wrong, `${bench.base}//mcp`, `${bench.base}/mcp#f`, ' '])
        expectRedirect(app, await app.authorize({ resource }), 'invalid_target', resource)
      const code = await app.code()
      for (const resource of wrong)
        expectError(await app.redeem(code, { resource }), 'invalid_target', resource)
      expect((await app.redeem(code)).status).toBe(200)
    })

    it('RS-02, REQ-51: a token for one resource is not accepted at another', async () => {
      const app = await App.register(bench)
      const forMcp = await app.tokens({ resource: `${bench.base}/mcp` })
      const forApi = await app.tokens({ resource: bench.base })
      expectInvalidToken(bench, await app.call(forMcp.access_token))
      expectInvalidToken(bench, await app.call(forMcp.access_token, '/api/oauth/userinfo'))
      expectInvalidToken(bench, await mcp(bearer(forApi.access_token)))
      expect((await mcp(bearer(forMcp.access_token))).status).toBe(200)
      expect((await app.call(forApi.access_token)).status).toBe(200)
      const unbound = await app.tokens()
      expect([
        (await mcp(bearer(unbound.access_token))).status,
        (await app.call(unbound.access_token)).status,
      ]).toEqual([200, 200])
    })

    it('RS-06, D10: a token request may choose one of two authorized resources, and the token is valid only there', async () => {
      const app = await App.register(bench)
      const query = `${app.query()}&${formEncoded([
        ['resource', bench.base],
        ['resource', `${bench.base}/mcp`],
      ])}`
      const answer = await app.submit(await app.consentForm(query))
      const code = bench.keepSecret(answer.redirected().get('code') ?? '')
      const tokens = tokensOf(await app.redeem(code, { resource: `${bench.base}/mcp` }))
      expect((await app.introspect(tokens.access_token)).aud).toBe(`${bench.base}/mcp`)
      expectInvalidToken(bench, await app.call(tokens.access_token))
      expectInvalidToken(bench, await mcp(bearer(tokens.id_token)))
    })
  })

  describe('the Authorization header', () => {
    it('PR-01, D3, REQ-53: without a token, or with another scheme, a request is anonymous and gets no challenge', async () => {
      const schemes = [undefined, 'Basic eDp5', 'Digest x', 'Bearerx', 'gka_x', 'DPoP x']
      for (const scheme of schemes) {
        const headers = scheme === undefined ? [] : [['Authorization', scheme] as const]
        for (const answer of [await bench.send('/api/courses', { headers }), await mcp(...headers)])
          expect([answer.status, answer.header('www-authenticate')], scheme).toEqual([200, undefined])
        const { items } = (await bench.send('/api/students', { headers })).json() as { items: unknown[] }
        expect(items, scheme).toEqual([])
      }
    })

    it('D3: an anonymous write is a plain 403, and UserInfo without a token a 401 that names no error', async () => {
      const write = await bench.postJson('/api/courses', { title: 'x' })
      expectError(write, 'access_denied', '', [403])
      expect(write.header('www-authenticate')).toBeUndefined()
      const answer = await bench.send('/api/oauth/userinfo')
      expect(answer.status).toBe(401)
      expect(answer.header('www-authenticate')).toMatch(/^Bearer(?!.*error=)/)
    })

    it('PR-02, REQ-54, REQ-57: an invalid Bearer token is a 401, and never treated as anonymous', async () => {
      const app = await App.register(bench)
      const { access_token: good } = await app.tokens()
      const bad = [
        'Bearer',
        `Bearer  ${good}`,
        `Bearer ${good.slice(0, -1)}`,
        `Bearer\t${good}`,
        `Bearer ${good}, Basic x`,
        `Basic x, Bearer ${good}`,
        `Bearer ${'x'.repeat(5000)}`,
        'bearer é',
        `Token ${good}`,
      ]
      for (const authorization of bad)
        for (const answer of [
          await bench.send('/api/courses', { headers: [['Authorization', authorization]] }),
          await mcp(['Authorization', authorization]),
          await bench.send('/api/oauth/userinfo', { headers: [['Authorization', authorization]] }),
        ])
          expectInvalidToken(bench, answer, authorization)
      await app.revoke(good)
      expectInvalidToken(bench, await app.call(good), 'revoked')
      const expiring = await app.tokens()
      later(3601)
      expectInvalidToken(bench, await app.call(expiring.access_token), 'expired')
    })

    it('REQ-57: the scheme may have any case; two headers are refused', async () => {
      const app = await App.register(bench)
      const { access_token } = await app.tokens({ scope: 'openid students:read' })
      const students = async (...headers: (readonly [string, string])[]) =>
        bench.send('/api/students', { headers })
      for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
        expect((await students(['Authorization', `${scheme} ${access_token}`])).json().total).toBeGreaterThan(
          0,
        )
      for (const other of [
        ['Authorization', 'Bearer x'],
        ['authorization', 'Basic x'],
        bearer(access_token),
      ] as const)
        for (const two of [[bearer(access_token), other] as const, [other, bearer(access_token)] as const])
          expectInvalidToken(bench, await students(...two), other.join())
    })
  })

  it('PR-03, REQ-55: a token that lacks a scope is a 403 that says which one is needed', async () => {
    const app = await App.register(bench)
    const { access_token } = await app.tokens()
    expectInsufficientScope(bench, await app.call(access_token, '/api/students'), 'students:read')
    expectInsufficientScope(bench, await app.call(access_token, '/api/courses', 'POST'), 'courses:write')
    for (const method of ['PATCH', 'DELETE'])
      expectInsufficientScope(bench, await app.call(access_token, '/api/courses/x', method), 'courses:write')
    const plain = await app.tokens({ scope: 'courses:read' })
    expectInsufficientScope(bench, await app.call(plain.access_token, '/api/oauth/userinfo'), 'openid')
  })

  it('PR-04, REQ-56: a token is read only from the header', async () => {
    const app = await App.register(bench)
    const { access_token } = await app.tokens({ scope: 'openid students:read students:write' })
    const query = formEncoded({ access_token })
    const answer = await bench.send(`/api/students?${query}`)
    expect([answer.status, (answer.json() as { items: unknown[] }).items]).toEqual([200, []])
    const inCookie = await bench.send('/api/students', {
      headers: [['Cookie', `access_token=${access_token}`]],
    })
    expect((inCookie.json() as { items: unknown[] }).items).toEqual([])
    expect((await bench.post('/api/students', { access_token })).status).toBe(403)
    for (const posted of [
      await bench.post('/api/oauth/userinfo', { access_token }),
      await bench.send(`/api/oauth/userinfo?${query}`),
    ])
      expect(posted.status).toBe(401)
  })

  it('PR-07: a scope matches only as a whole name, not by prefix, suffix or case', async () => {
    const app = await App.register(bench)
    const { access_token } = await app.tokens({ scope: 'openid curriculum:read' })
    for (const area of ['courses', 'students', 'members'])
      expectInsufficientScope(bench, await app.call(access_token, `/api/${area}`), `${area}:read`)
    for (const scope of [
      'courses:readx',
      'courses:read\nstudents:write',
      'courses:',
      'courses',
      '*',
      'COURSES:READ',
    ])
      expect((await app.authorize({ scope })).redirected().get('error'), scope).toBe('invalid_scope')
  })

  it('PR-09: a record that could not be shown is rejected, and reads keep working', async () => {
    const app = await App.register(bench)
    const { access_token } = await app.tokens({ scope: 'openid courses:write' })
    const headers = [['Content-Type', 'application/json'], bearer(access_token)] as const
    for (const title of [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, '{"toString":1}', '{"valueOf":{}}']) {
      const body = `{"published":true,"title":${title}}`
      for (const [method, target] of [
        ['POST', '/api/courses'],
        ['PATCH', '/api/courses/bread-at-home'],
      ] as const) {
        const answer = await bench.send(target, { method, headers, body })
        expectError(answer, 'invalid_request', title.slice(0, 20), [400])
      }
    }
    for (const target of ['/api/courses', '/pricing.md'])
      expect((await bench.send(target)).status, target).toBe(200)
    const search = { name: 'search_courses', arguments: { query: 'bread' } }
    for (const [method, params] of [
      ['tools/call', search],
      ['resources/list', {}],
    ] as const) {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const answer = await bench.send('/mcp', { method: 'POST', headers: MCP_HEADERS, body: message })
      expect(answer.json(), method).toMatchObject({
        result: { [method === 'tools/call' ? 'content' : 'resources']: {} },
      })
    }
  })

  it('REQ-58, REQ-50: UserInfo answers GET and POST with what the scopes allow, for the same subject as the ID token', async () => {
    const app = await App.register(bench)
    const views: [string, object][] = [
      ['openid', { sub: 'alice-id' }],
      ['openid email', { sub: 'alice-id', email: 'alice@school.example', email_verified: true }],
      ['openid profile', { sub: 'alice-id', name: 'alice', updated_at: 1_767_225_600 }],
    ]
    for (const [scope, claims] of views) {
      const { access_token, id_token } = await app.tokens({ scope })
      for (const method of ['GET', 'POST']) {
        const answer = await app.call(access_token, '/api/oauth/userinfo', method)
        expect([answer.status, answer.json(), answer.header('cache-control')]).toEqual([
          200,
          claims,
          'no-store',
        ])
      }
      expect(JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
        sub: 'alice-id',
      })
    }
  })

  it('REQ-52: issued credentials are long, random and stored only as hashes', async () => {
    const app = await App.register(bench)
    const issued = await Promise.all([app.tokens(), app.tokens()])
    const secrets = issued.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
    expect(new Set(secrets).size).toBe(4)
    for (const secret of secrets) expect(secret.split('.').at(-1)).toMatch(/^[\w-]{43}$/)
    const grants = await grantsSeenByTheStore(app, issued[0])
    for (const secret of secrets)
      for (const part of [secret, secret.split('.').at(-1) ?? '']) expect(grants).not.toContain(part)
  })

  async function grantsSeenByTheStore(app: App, tokens: Tokens): Promise<string> {
    const seen: unknown[] = []
    bench.fault = async (_, done) => {
      const record = await done()
      seen.push(record)
      return record
    }
    await expectNoEffect(app, tokens)
    expect(seen.length).toBeGreaterThan(1)
    return JSON.stringify(seen)
  }
})
