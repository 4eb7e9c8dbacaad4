import { describe, expect, test } from 'vitest'
import { EXCHANGES } from './exchange.ts'

const HEAD = 'POST /token HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-length: 42\r\n\r\n'

describe('a refresh', () => {
  test('sends the refresh token of the last response, with the length of the new form', () => {
    const exchange = EXCHANGES.refresh(`${HEAD}grant_type=refresh_token&refresh_token=first`)
    const body = JSON.stringify({ refresh_token: 'a second+one' })
    expect(exchange.next({ status: 200, head: '', body })).toBeUndefined()
    const [head, form = ''] = String(exchange.first()).split('\r\n\r\n')
    expect(new URLSearchParams(form).get('refresh_token')).toBe('a second+one')
    expect(head).toContain(`content-length: ${form.length}`)
  })

  test.each([
    ['an error', 400, '{"error":"invalid_grant"}'],
    ['a response without a refresh token', 200, '{}'],
    ['the refresh token that was sent', 200, '{"refresh_token":"first"}'],
  ])('ends the run after %s', (_, status, body) => {
    const exchange = EXCHANGES.refresh(`${HEAD}refresh_token=first`)
    expect(() => exchange.next({ status, head: '', body })).toThrow('A refresh was answered')
  })
})

describe('a consent page', () => {
  const REQUEST = 'GET /auth HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncookie: session=1; other=a=b\r\n\r\n'
  const page = { status: 200, head: '', body: '<form method="post">' }

  test('ends with a page that has a form', () => {
    expect(EXCHANGES.consent(REQUEST).next(page)).toBeUndefined()
  })

  test('follows a redirect with the cookies that it got', () => {
    const head = 'HTTP/1.1 303 See Other\r\nLocation: /page?a=1\r\nSet-Cookie: session=2; path=/'
    const next = String(EXCHANGES.consent(REQUEST).next({ status: 303, head, body: '' }))
    expect(next).toMatch(/^GET \/page\?a=1 HTTP\/1\.1\r\n/)
    expect(next).toContain('\r\ncookie: session=2; other=a=b\r\n')
    expect(next).toContain('\r\nhost: 127.0.0.1:1\r\n')
  })

  test('ends the run when redirects do not end', () => {
    const exchange = EXCHANGES.consent(REQUEST)
    const again = { status: 302, head: 'HTTP/1.1 302 Found\r\nlocation: /auth', body: '' }
    for (let redirect = 0; redirect < 5; redirect++) exchange.next(again)
    expect(() => exchange.next(again)).toThrow('An authorization request was answered with 302')
  })

  test.each([
    ['an error page', { ...page, status: 400 }],
    ['a sign-in page', { ...page, body: '<form><input name="password" type="password">' }],
    ['a page without a form', { ...page, body: 'Too many requests' }],
  ])('ends the run after %s', (_, answer) => {
    expect(() => EXCHANGES.consent(REQUEST).next(answer)).toThrow('An authorization request was answered')
  })
})
