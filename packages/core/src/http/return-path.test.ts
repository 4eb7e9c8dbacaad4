import { describe, expect, it } from 'vitest'
import { returnPath } from './return-path.ts'

describe('returnPath', () => {
  it.each([
    '/',
    '/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb',
    '/a//b',
    '/login?x=//evil',
    '/@evil.example',
    '/%09/evil.example',
  ])('keeps %s', (path) => {
    expect(returnPath(path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    ['/notes', '/notes'],
    '//evil.example',
    '///evil.example',
    '//user@evil.example',
    '//site.invalid/a',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    'https:evil.example',
    'https://evil.example',
    'https://site.invalid/',
    '@evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\nSet-Cookie: a=b',
    ' //evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\uff0fevil.example',
    '/\u{1f4a5}',
    '/caf\u00e9',
    '/a b',
  ])('goes home instead of to %j', (path) => {
    expect(returnPath(path)).toBe('/')
    expect(returnPath(path, '/base/')).toBe('/base/')
  })
})
