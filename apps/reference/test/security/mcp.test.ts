import { describe, expect, it } from 'vitest'
import { META_2026, message2026 } from '../mcp-messages.ts'
import { App } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectError, expectInvalidToken } from './safe-answers.ts'

/** The MCP server: one path, anonymous reads, and closed to pages of other sites. */

const HEADERS = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
] as const

onTheService('the MCP server', (bench) => {
  const call = (method: string, params: object, headers: (readonly [string, string])[] = []) =>
    bench.send('/mcp', {
      method: 'POST',
      headers: [...HEADERS, ...headers],
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })

  it('PR-08, REQ-70: a foreign Host or Origin is rejected; the configured and loopback ones are accepted', async () => {
    const { port } = bench.service
    const refused = [
      [['Host', 'evil.example']],
      [['Host', `evil.example:${port}`]],
      [['Host', '127.0.0.1']],
      [['Host', `localhost.evil.example:${port}`]],
      [['Origin', 'https://evil.example']],
      [['Origin', 'null']],
      [['Origin', `http://127.0.0.1:${port}.evil.example`]],
      [['Origin', 'http://localhost.evil.example']],
      [['Origin', 'http://127.0.0.1.evil.example']],
    ] as [string, string][][]
    for (const headers of refused) {
      const answer = await call('tools/list', {}, headers)
      expectError(answer, 'access_denied', JSON.stringify(headers), 403)
      expect(answer.header('access-control-allow-origin')).toBeUndefined()
    }
    for (const origin of [bench.base, 'http://localhost:6274', 'http://127.0.0.1:1'])
      expect((await call('tools/list', {}, [['Origin', origin]])).status, origin).toBe(200)
  })

  it('REQ-70: anonymous reads are allowed, an invalid token is a 401, and an unsupported method is a 405', async () => {
    expect((await call('tools/list', {})).status).toBe(200)
    const refused = await call('tools/list', {}, [['Authorization', 'Bearer x']])
    expectInvalidToken(bench, refused)
    expect(refused.header('www-authenticate')).toContain('/oauth-protected-resource/mcp"')
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await bench.send('/mcp', { method })
      expectError(answer, 'invalid_request', method, 405)
      expect(answer.header('allow')).toBe('POST, OPTIONS')
    }
  })

  it('PR-10: a batch has at most ten messages, so that one request costs no more than ten', async () => {
    const batch = (length: number) =>
      bench.send('/mcp', {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(
          Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
        ),
      })
    const ten = await batch(10)
    expect([ten.status, JSON.parse(ten.body)]).toMatchObject([200, { length: 10 }])
    for (const length of [11, 1000]) {
      const refused = await batch(length)
      expect([refused.status, refused.json()], `${length}`).toMatchObject([400, { error: { code: -32600 } }])
    }
  })

  describe('by protocol 2026-07-28', () => {
    const search = { name: 'search_courses', arguments: {} }
    const ask = (method: string, params: object = {}, more: readonly (readonly [string, string])[] = []) => {
      const { headers, body } = message2026(method, params)
      return bench.send('/mcp', { method: 'POST', headers: [...Object.entries(headers), ...more], body })
    }

    it('PR-14, REQ-51: a bad token or one for another resource is a 401, whatever the message is', async () => {
      const app = await App.register(bench)
      const { access_token } = await app.tokens({ resource: bench.base })
      const { access_token: forMcp } = await app.tokens({ resource: `${bench.base}/mcp` })
      expectInvalidToken(bench, await app.call(forMcp), 'at the API')
      for (const token of ['x', access_token]) {
        const bearer = [['Authorization', `Bearer ${token}`]] as const
        for (const method of ['server/discover', 'tools/list', 'subscriptions/listen', 'nothing'])
          expectInvalidToken(bench, await ask(method, {}, bearer), method)
        for (const body of ['', '{', '[]', `[${'{},'.repeat(1000)}{}]`])
          expectInvalidToken(
            bench,
            await bench.send('/mcp', { method: 'POST', headers: [...HEADERS, ...bearer], body }),
            body.slice(0, 10),
          )
      }
    })

    it('PR-15: what a client says about itself has no effect, and is not logged', async () => {
      const said = {
        'io.modelcontextprotocol/clientInfo': { name: 'admin\n{"level":60}', version: '1' },
        traceparent: 'garbage\r\n',
        tracestate: 'x'.repeat(5000),
      }
      const params = { ...search, _meta: { ...META_2026, ...said } }
      const answer = await ask('tools/call', params, [['Mcp-Name', 'search_courses']])
      expect(answer.json()).toMatchObject({ result: { structuredContent: { total: 5 } } })
      expect(JSON.stringify([bench.service.events, bench.service.errors])).not.toMatch(/admin|garbage|xxx/)
    })

    it('PR-16: a foreign Host or Origin is refused before the message is read', async () => {
      for (const header of [
        ['Host', 'evil.example'],
        ['Origin', 'https://evil.example'],
        ['Origin', 'null'],
      ] as const) {
        expectError(await ask('server/discover', {}, [header]), 'access_denied', header[1], 403)
        const broken = { method: 'POST', headers: [...HEADERS, header], body: '{' }
        expectError(await bench.send('/mcp', broken), 'access_denied', header[1], 403)
      }
    })

    it('PR-17: a batch cannot contain a message of this protocol', async () => {
      const { headers, body } = message2026('tools/list')
      for (const batch of [`[${body}]`, `[{"jsonrpc":"2.0","id":2,"method":"tools/list"},${body}]`]) {
        const answer = await bench.send('/mcp', {
          method: 'POST',
          headers: Object.entries(headers),
          body: batch,
        })
        expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: -32600 } }])
      }
    })
  })
})
