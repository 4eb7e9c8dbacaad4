import { BODY_LIMIT } from '@grantkit/core/adapter'
import { describe, expect, it } from 'vitest'
import { type RawResponse, send, values } from './raw-http.ts'
import type { Target } from './target.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=x'

const BODIES: readonly (readonly [name: string, type: string | undefined, body: string])[] = [
  ['a form with repeats', FORM, 'scope=a+b&scope=%63&empty=&bare&a[]=1&a[b]=2'],
  ['a form that says UTF-8', `${FORM};charset=UTF-8`, 'name=%E2%82%AC&raw=€'],
  ['a form that says UTF-16', `${FORM}; charset=utf-16`, 'a=1'],
  ['a form with a thousand parameters', FORM, 'a=1&'.repeat(1000)],
  ['an empty form', FORM, ''],
  ['JSON with its spaces', 'application/json', ' { "b" : 1.0, "a" : "\\u20ac", "a" : 2 }\n'],
  ['JSON in UTF-8', 'application/json; charset=utf-8', '{"name":"Ünïcode 😀 中文"}'],
  ['JSON that is a bare value', 'application/json', 'null'],
  ['JSON with a hostile key', 'application/json', '{"__proto__":{"a":1},"constructor":{}}'],
  ['JSON that is broken', 'application/json', '{"a":'],
  ['JSON that is empty', 'application/json', ''],
  ['JSON under another name', 'application/scim+json', '{"a":1}'],
  ['plain text', 'text/plain', 'a=1&b=2'],
  ['XML', 'application/xml', '<a/>'],
  ['multipart', MULTIPART, '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'],
  ['broken multipart', 'multipart/form-data', '--'],
  ['bytes', 'application/octet-stream', 'abc\u0000def'],
  ['a body without a type', undefined, 'grant_type=authorization_code'],
]

/** Core parses the body. An adapter only reads it as text, up to the limit. */
export function bodyPromises(target: Target): void {
  describe('a body', () => {
    it.each(BODIES)('reaches handle unchanged: %s', async (_, type, body) => {
      const headers = type === undefined ? [] : ([['Content-Type', type]] as const)
      const { status } = await send(target.url, { method: 'POST', target: '/echo', headers, body })
      expect(status).toBe(200)
      expect(target.recorder.only().body).toBe(body)
      expect(target.recorder.only().headers['content-type']).toBe(type)
    })

    it.each(['nonsense', ';', 'application/json, application/x-www-form-urlencoded'])(
      'of the impossible type %j reaches handle or is refused',
      async (type) => {
        const request = {
          method: 'POST',
          target: '/echo',
          headers: [['Content-Type', type]],
          body: 'a=1',
        } as const
        const response = await send(target.url, request)
        if (target.recorder.requests.length > 0) expect(target.recorder.only().body).toBe('a=1')
        else expectRefused(response, [400, 415])
      },
    )

    it('reaches handle when it comes in chunks of no announced length', async () => {
      const body = 'grant_type=refresh_token&refresh_token=gkr_€'
      await send(target.url, { method: 'POST', target: '/echo', body, chunked: true })
      expect(target.recorder.only().body).toBe(body)
    })

    it('that is not UTF-8 is no server error', async () => {
      const request = { method: 'POST', target: '/echo', body: Uint8Array.of(0x61, 0xff, 0xfe, 0x80) }
      expect((await send(target.url, request)).status).toBeLessThan(500)
    })

    it.each(['PUT', 'PATCH', 'DELETE'])('reaches handle with %s', async (method) => {
      const headers = [['Content-Type', 'application/json']] as const
      await send(target.url, { method, target: '/echo', headers, body: '{}' })
      expect(target.recorder.only()).toMatchObject({ method, body: '{}' })
    })
  })

  describe('a body of 64 KiB', () => {
    it('reaches handle, all of it', async () => {
      const body = 'x'.repeat(BODY_LIMIT)
      await send(target.url, { method: 'POST', target: '/echo', body })
      expect(target.recorder.only().body).toBe(body)
    })

    it.each([
      ['one byte more', 'x'.repeat(BODY_LIMIT + 1), false],
      ['bytes, not characters, count', '€'.repeat(BODY_LIMIT / 3 + 1), false],
      ['the length was not announced', 'x'.repeat(BODY_LIMIT + 1), true],
    ])('is the most that is read: %s', async (_, body, chunked) => {
      for (const type of [FORM, 'application/json', 'text/plain']) {
        const headers = [['Content-Type', type]] as const
        const response = await send(target.url, { method: 'POST', target: '/echo', headers, body, chunked })
        expectRefused(response, [413])
        expect(target.recorder.requests).toHaveLength(0)
      }
    })
  })
}

/** The error body of RFC 6749 5.2, from an adapter that refuses before core sees the request. */
function expectRefused(response: RawResponse, statuses: number[]): void {
  expect(statuses).toContain(response.status)
  expect(values(response, 'content-type').join()).toMatch(/^application\/json\b/)
  expect(JSON.parse(response.body)).toStrictEqual({
    error: 'invalid_request',
    error_description: expect.any(String),
  })
}
