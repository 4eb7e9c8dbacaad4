import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exchange, send } from './raw-http.ts'
import type { Target } from './target.ts'

const HEAD = 'Host: a\r\nConnection: close\r\n'
const SECOND_REQUEST = 'GET /things/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

/** Contradictory framings: the bytes after them must not count as a second request. */
const BROKEN_FRAMINGS: readonly (readonly [name: string, framing: string])[] = [
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\na=1'],
  ['a negative length', 'Content-Length: -3\r\n\r\na=1'],
  ['a length that is no number', 'Content-Length: three\r\n\r\na=1'],
  ['a signed length', 'Content-Length: +3\r\n\r\na=1'],
  [
    'a length and chunks',
    `Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND_REQUEST}`,
  ],
  [
    'chunks and a length',
    `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n${SECOND_REQUEST}`,
  ],
  [
    'chunks that are not the last encoding',
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND_REQUEST}`,
  ],
  ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SECOND_REQUEST}`],
  ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\nx\r\na=1\r\n0\r\n\r\n'],
]

/** Requests that no correct client sends: the adapter passes them on unchanged, or the server refuses them. */
export function unusualRequestPromises(target: Target): void {
  describe('an unusual request', () => {
    it.each(['TRACE', 'PROPFIND', 'PURGE'])(
      'with the method %s is passed on or rejected, and not echoed',
      async (method) => {
        const headers = [['X-Canary', 'canary-4711']] as const
        const { status, body } = await send(target.url, { method, target: '/echo', headers })
        expect(body).not.toContain('canary-4711')
        if (target.recorder.requests.length > 0)
          expect(target.recorder.only()).toMatchObject({ method, path: '/echo' })
        else expect([400, 404, 405, 501]).toContain(status)
      },
    )

    it.each(['FOO', 'get', 'POSTX'])('with the unknown method %s is refused', async (method) => {
      const wire = await exchange(target.url, `${method} /echo HTTP/1.1\r\n${HEAD}\r\n`)
      expect(wire).toMatch(/^HTTP\/1\.1 (400|405|501) /)
      expect(target.recorder.requests).toHaveLength(0)
    })

    it('with CONNECT opens nothing', async () => {
      const wire = await exchange(target.url, `CONNECT evil.example:443 HTTP/1.1\r\n${HEAD}\r\n`)
      expect(wire).not.toMatch(/^HTTP\/1\.1 2/)
      expect(target.recorder.requests).toHaveLength(0)
    })

    it('that names a whole address reaches the path in it, or no route', async () => {
      const line = 'GET http://evil.example:81/echo?a=%2F HTTP/1.1'
      const wire = await exchange(target.url, `${line}\r\n${HEAD}\r\n`)
      if (target.recorder.requests.length > 0)
        expect(target.recorder.only()).toMatchObject({ path: '/echo', query: 'a=%2F' })
      else expect(wire).toMatch(/^HTTP\/1\.1 (400|404) /)
    })

    it.each(BROKEN_FRAMINGS)('framed with %s is refused, and smuggles nothing', async (_, framing) => {
      const wire = await exchange(target.url, `POST /echo HTTP/1.1\r\n${HEAD}${framing}`)
      expect(wire).toMatch(/^HTTP\/1\.1 (400|411|413|501) /)
      expect(target.recorder.requests.map(({ path }) => path)).not.toContain('/things/smuggled')
    })

    it('without a Host is refused', async () => {
      const wire = await exchange(target.url, 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n')
      expect(wire).toMatch(/^HTTP\/1\.1 400 /)
      expect(target.recorder.requests).toHaveLength(0)
    })

    it('with an invalid Host is passed on or refused', async () => {
      for (const host of ['9'.repeat(400), 'a b', '[', '%', ':x', '<b>']) {
        const wire = await exchange(
          target.url,
          `GET /echo HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )
        expect(wire, host).toMatch(/^HTTP\/1\.1 (200|400|404) /)
      }
    })

    it('with two Hosts has the first, both in order, or is refused', async () => {
      const wire = await exchange(target.url, `GET /echo HTTP/1.1\r\n${HEAD}Host: b\r\n\r\n`)
      if (target.recorder.requests.length > 0)
        expect(['a', 'a, b']).toContain(target.recorder.only().headers.host)
      else expect(wire).toMatch(/^HTTP\/1\.1 400 /)
    })

    it('with a compressed body is not decompressed', async () => {
      const body = gzipSync('grant_type=refresh_token')
      for (const encoding of ['gzip', 'br', 'x']) {
        target.recorder.reset()
        const headers = [['Content-Encoding', encoding]] as const
        const { status } = await send(target.url, { method: 'POST', target: '/echo', headers, body })
        if (target.recorder.requests.length === 0) expect([400, 415]).toContain(status)
        else expect(target.recorder.only().body).not.toContain('refresh_token')
      }
    })

    it('with a byte order mark keeps it', async () => {
      await send(target.url, { method: 'POST', target: '/echo', body: '\ufeff{}' })
      expect(target.recorder.only().body).toBe('\ufeff{}')
    })

    it.each(['/echo/', '//echo', '/ECHO', '/echo;a=1', '/%65cho/', '\\echo'])(
      'for the path %s reaches no route',
      async (path) => {
        const wire = await exchange(target.url, `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`)
        expect(wire).toMatch(/^HTTP\/1\.1 (400|404) /)
        expect(target.recorder.requests).toHaveLength(0)
      },
    )

    it.each(['/./echo', '/x/../echo', '/%2e/echo'])(
      'for the path %s reaches no route, or the one without dot segments',
      async (path) => {
        const wire = await exchange(target.url, `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`)
        if (target.recorder.requests.length > 0) expect(target.recorder.only().path).toBe('/echo')
        else expect(wire).toMatch(/^HTTP\/1\.1 (400|404) /)
      },
    )

    it('whose body comes byte by byte reaches handle whole', async () => {
      const { hostname, port } = new URL(target.url)
      const socket = connect(Number(port), hostname)
      const answer = text(socket)
      socket.setNoDelay(true).write(`POST /echo HTTP/1.1\r\n${HEAD}Content-Length: 5\r\n\r\n`)
      for (const byte of Buffer.from('a=€')) {
        await new Promise((sent) => socket.write(Uint8Array.of(byte), sent))
        // The server reads what has arrived before the next byte is sent.
        for (let turn = 0; turn < 3; turn++) await new Promise((next) => setImmediate(next))
      }
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(target.recorder.only().body).toBe('a=€')
    })

    it('with two Authorization headers has both, so that core can refuse them', async () => {
      const headers = [
        ['Authorization', 'Bearer one'],
        ['authorization', 'Basic two'],
      ] as const
      await send(target.url, { target: '/echo', headers })
      const { authorization } = target.recorder.only().headers
      expect([authorization].flat().join(', ')).toBe('Bearer one, Basic two')
    })

    it.each(['Content-Type', 'Cookie'])(
      'with two %s headers has the first, or both in order',
      async (name) => {
        const [first, second] = ['text/one', 'text/two']
        const headers = [
          [name, first],
          [name, second],
        ] as const
        const { status } = await send(target.url, { method: 'POST', target: '/echo', headers, body: 'a=1' })
        if (target.recorder.requests.length === 0) return expect([400, 415]).toContain(status)
        const value = [target.recorder.only().headers[name.toLowerCase()]].flat().join(', ')
        expect([first, `${first}, ${second}`, `${first}; ${second}`]).toContain(value)
      },
    )
  })
}
