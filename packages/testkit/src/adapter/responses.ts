import type { HttpResponse } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { exchange, type RawResponse, send, values } from './raw-http.ts'
import type { Target } from './target.ts'

/** Headers about the connection and framing, which a server may add. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

const JSON_TYPE = { 'content-type': 'application/json' }
const ANSWERS: readonly (readonly [name: string, answer: HttpResponse])[] = [
  ['a JSON answer', { status: 200, headers: JSON_TYPE, body: '{"a":"€ 😀"}' }],
  ['JSON with its spaces', { status: 201, headers: JSON_TYPE, body: '{ "a" : 1 }\n' }],
  ['a JWT', { status: 200, headers: { 'content-type': 'application/jwt' }, body: 'e30.e30.e30' }],
  ['a page', { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>Grüße' }],
  ['nothing, with a status', { status: 200, headers: { 'cache-control': 'no-store' }, body: '' }],
  ['204', { status: 204, headers: { 'access-control-max-age': '86400' }, body: '' }],
  [
    'a redirect',
    { status: 303, headers: { location: 'http://127.0.0.1:1/cb?code=a%2Fb&state=%2B+' }, body: '' },
  ],
  ['a redirect to an app', { status: 302, headers: { location: 'com.example.app:/cb?a=1#b' }, body: '' }],
  ['400', { status: 400, headers: JSON_TYPE, body: '{"error":"invalid_request"}' }],
  [
    '401 with a challenge',
    { status: 401, headers: { 'www-authenticate': 'Bearer realm="a, b", error="invalid_token"' }, body: '' },
  ],
  ['404', { status: 404, headers: JSON_TYPE, body: '{"error":"not_found"}' }],
  ['405', { status: 405, headers: { allow: 'GET, POST', ...JSON_TYPE }, body: '{}' }],
  ['500', { status: 500, headers: JSON_TYPE, body: '{"error":"server_error"}' }],
  ['503', { status: 503, headers: { 'retry-after': '1', ...JSON_TYPE }, body: '{}' }],
]

/** The answer of `handle` arrives unchanged. */
export function responsePromises(target: Target): void {
  async function answered(answer: HttpResponse, headers: [string, string][] = []): Promise<RawResponse> {
    target.recorder.answer = answer
    return send(target.url, { target: '/echo', headers })
  }

  describe('a response', () => {
    it.each(ANSWERS)('arrives unchanged: %s', async (_, answer) => {
      const response = await answered(answer)
      expect(response.status).toBe(answer.status)
      expect(response.body).toBe(answer.body)
      expect(ownHeaders(response)).toStrictEqual(answer.headers)
    })

    it('arrives with every cookie on a line of its own', async () => {
      const cookies = ['a=1; Path=/; HttpOnly; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b="2, 3"; Secure']
      const response = await answered({ status: 200, headers: { 'set-cookie': cookies }, body: '' })
      expect(values(response, 'set-cookie')).toStrictEqual(cookies)
    })

    it('arrives whole when it is long', async () => {
      const body = '€'.repeat(300_000)
      const response = await answered({ status: 200, headers: { 'content-type': 'text/plain' }, body })
      expect(response.body).toBe(body)
    })

    it('arrives complete, whatever the request headers ask for', async () => {
      const answer: HttpResponse = { status: 200, headers: JSON_TYPE, body: '{"a":1}' }
      const wishes: [string, string][] = [
        ['Accept', 'image/png'],
        ['Accept-Encoding', 'gzip, br'],
        ['If-None-Match', '*'],
        ['Range', 'bytes=0-1'],
      ]
      const response = await answered(answer, wishes)
      expect(response).toMatchObject({ status: 200, body: answer.body })
      expect(ownHeaders(response)).toStrictEqual(answer.headers)
    })

    it('to HEAD arrives without its body', async () => {
      target.recorder.answer = { status: 200, headers: { 'x-own': 'kept', ...JSON_TYPE }, body: '{"a":1}' }
      const wire = await exchange(target.url, 'HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      expect(wire).toMatch(/^HTTP\/1\.1 200 /)
      expect(wire).toMatch(/\r\nx-own: kept\r\n/i)
      expect(wire).toMatch(/\r\n\r\n$/)
      expect(target.recorder.only().method).toBe('HEAD')
    })
  })
}

/** The headers of the response without the connection's headers, in the form that `handle` gave them. */
function ownHeaders(response: RawResponse): Record<string, string> {
  const own = response.headers.map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(own.filter(([name]) => !OF_THE_CONNECTION.includes(name)))
}
