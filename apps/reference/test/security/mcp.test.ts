import { expect, it } from 'vitest'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectInvalidToken } from './safe-answers.ts'

/** The MCP server: one path, anonymous reads, and closed to pages of other sites. */

const HEADERS = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
] as const

onBothStores('the MCP server', (bench) => {
  const call = (method: string, params: object, headers: (readonly [string, string])[] = []) =>
    bench.send('/mcp', {
      method: 'POST',
      headers: [...HEADERS, ...headers],
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })

  it('PR-08, REQ-70: a foreign Host or Origin is refused; ours and those of this device are accepted', async () => {
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
    ] as [string, string][][]
    for (const headers of refused) {
      const answer = await call('tools/list', {}, headers)
      expectError(answer, 'access_denied', JSON.stringify(headers), [403])
      expect(answer.header('access-control-allow-origin')).toBeUndefined()
    }
    for (const origin of [bench.base, 'http://localhost:6274', 'http://127.0.0.1:1'])
      expect((await call('tools/list', {}, [['Origin', origin]])).status, origin).toBe(200)
  })

  it('REQ-70: anybody may read, a bad token is a 401, and an unsupported method is a 405', async () => {
    expect((await call('tools/list', {})).status).toBe(200)
    expectInvalidToken(bench, await call('tools/list', {}, [['Authorization', 'Bearer x']]))
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await bench.send('/mcp', { method })
      expectError(answer, 'invalid_request', method, [405])
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
    for (const length of [11, 100, 1000]) {
      const refused = await batch(length)
      expect([refused.status, refused.json()], `${length}`).toMatchObject([400, { error: { code: -32600 } }])
    }
  })

  it('REQ-70: a body that is no message is refused in the words of JSON-RPC', async () => {
    for (const body of ['', '{', 'null', '[]', '1', '{"jsonrpc":"1.0"}', '\0', '['.repeat(20_000)]) {
      const answer = await bench.send('/mcp', { method: 'POST', headers: HEADERS, body })
      expect(answer.status, body.slice(0, 20)).toBeGreaterThanOrEqual(200)
      expect(answer.status, body.slice(0, 20)).toBeLessThan(500)
    }
  })
})
