import { describe, expect, it } from 'vitest'
import { exchange, send } from './raw-http.ts'
import type { Target } from './target.ts'

const QUERIES = [
  'scope=openid&scope=profile&scope=openid',
  'scope=openid+courses%3Aread%20profile',
  'redirect_uri=http%3A%2F%2F127.0.0.1%3A7001%2Fcb&path=%2F%2f',
  'a=&b&=c&&',
  'a[]=1&a[b]=2&a.c=3&__proto__[x]=1&constructor=y',
  'next=/x?y=1?z=2',
  'broken=%zz%&half=%e2%82',
  'utf8=%E2%82%AC%F0%9F%98%80&nul=%00&line=%0d%0a',
  "raw=!$'()*,;:@/~-._",
  `long=${'x'.repeat(4000)}`,
]

/** The request line and the headers arrive unchanged. */
export function requestPromises(target: Target): void {
  describe('a request', () => {
    it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])(
      'reaches handle whatever its method: %s',
      async (method) => {
        const { status } = await send(target.url, { method, target: '/echo' })
        expect(status).toBe(200)
        expect(target.recorder.only()).toMatchObject({ method, path: '/echo', query: '', body: '' })
      },
    )

    it.each(QUERIES)('keeps its query unchanged: %s', async (query) => {
      await send(target.url, { target: `/echo?${query}` })
      expect(target.recorder.only()).toMatchObject({ path: '/echo', query })
    })

    it('has an empty query after a bare question mark', async () => {
      await send(target.url, { target: '/echo?' })
      expect(target.recorder.only()).toMatchObject({ path: '/echo', query: '' })
    })

    it('keeps the query of a POST, too, and apart from its form', async () => {
      const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const
      await send(target.url, { method: 'POST', target: '/echo?a=1', headers, body: 'a=2' })
      expect(target.recorder.only()).toMatchObject({ query: 'a=1', body: 'a=2' })
    })

    it('has its header names in lower case and their values unchanged', async () => {
      await send(target.url, {
        target: '/echo',
        headers: [
          ['AUTHORIZATION', 'Bearer  gka_Two.Spaces=='],
          ['X-Quoted', '"a, b"; c="\\"d"'],
          ['MCP-Protocol-Version', '2025-06-18'],
          ['Cookie', 'a=1; b="2"; __Host-c=%3D'],
        ],
      })
      expect(target.recorder.only().headers).toMatchObject({
        authorization: 'Bearer  gka_Two.Spaces==',
        'x-quoted': '"a, b"; c="\\"d"',
        'mcp-protocol-version': '2025-06-18',
        cookie: 'a=1; b="2"; __Host-c=%3D',
        host: new URL(target.url).host,
      })
    })

    it('keeps every value of a header that is sent twice, in order', async () => {
      await send(target.url, {
        target: '/echo',
        headers: [
          ['X-Many', 'one'],
          ['x-many', 'two'],
        ],
      })
      expect([target.recorder.only().headers['x-many']].flat().join(', ')).toBe('one, two')
    })

    it('lacks the headers that were not sent', async () => {
      await send(target.url, { target: '/echo' })
      expect(target.recorder.only().headers.authorization).toBeUndefined()
      expect(target.recorder.only().headers['content-type']).toBeUndefined()
    })

    it('has the address of its socket, whatever a header says', async () => {
      const headers = [
        ['X-Forwarded-For', '203.0.113.7'],
        ['Forwarded', 'for=203.0.113.7'],
        ['X-Real-IP', '203.0.113.7'],
      ] as const
      await send(target.url, { target: '/echo', headers })
      expect(target.recorder.only().remoteAddress).toMatch(/^(::ffff:)?127\.0\.0\.1$|^::1$/)
    })

    it('keeps its method, whatever a header or a parameter asks', async () => {
      const headers = [['X-HTTP-Method-Override', 'DELETE']] as const
      await send(target.url, { method: 'POST', target: '/echo?_method=DELETE', headers })
      expect(target.recorder.only().method).toBe('POST')
    })

    it('keeps its own body when fifty arrive at once', async () => {
      const bodies = Array.from({ length: 50 }, (_, index) => `body ${index}`)
      const answers = await Promise.all(
        bodies.map((body) => send(target.url, { method: 'POST', target: '/mirror', body })),
      )
      expect(answers.map(({ body }) => body)).toStrictEqual(bodies)
    })

    it('is one of several on a connection that stays open', async () => {
      const first = 'POST /echo?n=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none'
      const last = 'POST /echo?n=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo'
      await exchange(target.url, first + last)
      const reached = target.recorder.requests.map(({ query, body }) => `${query} ${body}`)
      expect(reached).toStrictEqual(['n=1 one', 'n=2 two'])
    })
  })
}
