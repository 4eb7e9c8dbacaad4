import { describe, expect, it, vi } from 'vitest'
import { OAuthError } from '../kernel/oauth-error.ts'
import { BODY_LIMIT, MESSAGE_ERRORS } from './endpoint.ts'
import { readBody, toFetchHandler, toHttpRequest, toResponse } from './fetch-handler.ts'
import type { HttpRequest, HttpResponse } from './http.ts'

function serve(path: string, answer: (request: HttpRequest) => Promise<HttpResponse>) {
  return toFetchHandler({ routes: [{ path, methods: ['POST'], handle: answer }] })
}

const mirror = async ({ body }: HttpRequest) => ({ status: 200, headers: {}, body })

const post = (body: string | ReadableStream | null, headers: Record<string, string> = {}) =>
  new Request('http://a/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

/** An endless body that counts how much of it was read. */
function endless() {
  const progress = { chunks: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        progress.chunks += 1
        controller.enqueue(new Uint8Array(1024))
      },
      cancel: () => {
        progress.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { progress, stream }
}

describe('toFetchHandler', () => {
  it.each([
    ['/token', '/token', 200],
    ['/token', '/token?a=/b', 200],
    ['/token', '/token/', 404],
    ['/token', '//token', 404],
    ['/token', '/toke%6E', 404],
    ['/caf%C3%A9', '/caf%C3%A9', 200],
    ['/things/:id', '/things/1', 404],
    ['/a.b', '/axb', 404],
  ])('mounts %s, and answers %s with %i', async (path, target, status) => {
    expect((await serve(path, mirror)(new Request(`http://a${target}`))).status).toBe(status)
  })

  it('leaves the body of a request without a route unread', async () => {
    const request = post('kept')
    await serve('/token', mirror)(request)
    expect(await request.text()).toBe('kept')
  })

  it.each([
    ['a rejection', () => Promise.reject(new Error('internal'))],
    [
      'a throw',
      () => {
        throw new Error('internal')
      },
    ],
    ['an answer that cannot be sent', async () => ({ status: 99, headers: {}, body: '' })],
  ])('answers %s with server_error and no more', async (_, answer) => {
    const response = await serve('/', answer)(post('x'))
    expect([response.status, await response.text()]).toEqual([500, expect.stringMatching(/"server_error"/)])
  })

  it('logs the cause of a server error, and no other error', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const cause = new Error('internal')
    const answer = (thrown: unknown) => serve('/', () => Promise.reject(thrown))(post('x'))
    for (const thrown of [cause, new OAuthError(MESSAGE_ERRORS.body_unreadable)]) await answer(thrown)
    expect(log.mock.calls).toEqual([['Grantkit: a request failed:', cause]])
    log.mockRestore()
  })

  it('answers with the error that a route throws', async () => {
    const response = await serve('/', () => Promise.reject(new OAuthError(MESSAGE_ERRORS.body_unreadable)))(
      post('x'),
    )
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })
})

describe('toHttpRequest', () => {
  it.each([
    ['https://host.example/a%2Fb/%7E?x=%2f&y=/?z', '/a%2Fb/%7E', 'x=%2f&y=/?z'],
    ['http://127.0.0.1:81?x', '/', 'x'],
    ['http://a/p?', '/p', ''],
    ['http://a/p?q#f?g', '/p', 'q'],
    ['http://a/p#f?g', '/p', ''],
    ['http://a/?redirect_uri=http://b/c', '/', 'redirect_uri=http://b/c'],
  ])('cuts %s into its path and its query', (url, path, query) => {
    expect(toHttpRequest(new Request(url))).toMatchObject({ path, query, body: '' })
  })

  it('takes path and query from an address that was not parsed', () => {
    const request = { method: 'GET', url: "http://a/../b?it's", headers: new Headers() } as Request
    expect(toHttpRequest(request)).toMatchObject({ path: '/../b', query: "it's" })
  })

  it('has header names in lower case', () => {
    const request = new Request('http://a', { headers: { 'X-Own': 'A, b', AUTHORIZATION: 'Bearer X' } })
    expect(toHttpRequest(request).headers).toEqual({ 'x-own': 'A, b', authorization: 'Bearer X' })
  })
})

describe('toResponse', () => {
  it('sends each cookie on its own line', () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2']
    const response = toResponse({ status: 200, headers: { 'set-cookie': cookies }, body: '' })
    expect(response.headers.getSetCookie()).toEqual(cookies)
  })

  it.each([204, 304])('sends %i, which may have no body', (status) => {
    expect(toResponse({ status, headers: {}, body: '' })).toMatchObject({ status, body: null })
  })
})

describe('readBody', () => {
  it('reads text whose characters are cut between two chunks', async () => {
    const bytes = new TextEncoder().encode('a€b')
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    expect(await readBody(post(pieces))).toBe('a€b')
  })

  it('shows that a character is incomplete', async () => {
    const cut = new Blob([new TextEncoder().encode('a€').subarray(0, 3)])
    expect(await readBody(post(cut.stream()))).toBe('a\ufffd')
  })

  it('reads no body as the empty text', async () => {
    expect(await readBody(new Request('http://a'))).toBe('')
    expect(await readBody(post(null, { 'content-length': '0' }))).toBe('')
    const traced = new Request('http://a', { headers: { 'content-length': '5' } })
    Object.defineProperty(traced, 'method', { value: 'TRACE' })
    expect(await readBody(traced)).toBe('')
  })

  it('stops at the limit, whatever length was announced', async () => {
    const { progress, stream } = endless()
    const reading = readBody(post(stream, { 'content-length': '5' }))
    await expect(reading).rejects.toMatchObject({ reason: 'body_too_large' })
    expect(progress).toEqual({ chunks: BODY_LIMIT / 1024 + 1, cancelled: true })
  })

  it('counts bytes, not characters', async () => {
    const characters = Math.floor(BODY_LIMIT / 3)
    expect(await readBody(post('€'.repeat(characters)))).toHaveLength(characters)
    await expect(readBody(post('€'.repeat(characters + 1)))).rejects.toMatchObject({ status: 413 })
  })

  it('refuses a body that announces too much, without reading it', async () => {
    const { progress, stream } = endless()
    const reading = readBody(post(stream, { 'content-length': `${BODY_LIMIT + 1}` }), true)
    await expect(reading).rejects.toMatchObject({ reason: 'body_too_large' })
    expect(progress.chunks).toBe(0)
  })

  describe.each([true, false])('with a length that the server has checked: %s', (framed) => {
    it('keeps a byte order mark', async () => {
      expect(await readBody(post('\ufeffa', { 'content-length': '4' }), framed)).toBe('\ufeffa')
    })

    it('reads a body of the limit, and an empty one', async () => {
      const longest = 'x'.repeat(BODY_LIMIT)
      expect(await readBody(post(longest, { 'content-length': `${BODY_LIMIT}` }), framed)).toBe(longest)
      expect(await readBody(post('', { 'content-length': '0' }), framed)).toBe('')
    })

    it('refuses a body that breaks off, with the cause', async () => {
      const cause = new Error('reset')
      const broken = new ReadableStream({ pull: (controller) => controller.error(cause) })
      const reading = readBody(post(broken, { 'content-length': '5' }), framed)
      await expect(reading).rejects.toMatchObject({ reason: 'body_unreadable', cause })
    })

    it('refuses a body that other code is reading', async () => {
      const request = post('x', { 'content-length': '1' })
      request.body?.getReader()
      await expect(readBody(request, framed)).rejects.toThrow(/application read the body/)
    })
  })

  it('rejects a body that other code has read', async () => {
    const used = post('x')
    await used.text()
    const released = post('x')
    const reader = released.body?.getReader()
    while (!(await reader?.read())?.done);
    reader?.releaseLock()
    const emptied = post(new Blob([]).stream(), { 'content-length': '5' })
    for (const request of [used, released, emptied])
      await expect(readBody(request)).rejects.toThrow(/application read the body/)
  })
})
