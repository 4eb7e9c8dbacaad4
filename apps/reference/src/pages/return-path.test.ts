import { describe, expect, it } from 'vitest'
import { returnPath } from './return-path.ts'

describe('returnPath', () => {
  it.each([
    '/',
    '/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb',
    '/a//b',
    '/login?x=//evil',
  ])('keeps %s', (path) => {
    expect(returnPath('https://school.example', path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    'https:evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\nSet-Cookie: a=b',
    ' //evil.example',
    '/\u{1f4a5}',
    '/caf\u00e9',
    '/a b',
  ])('goes home instead of to %j', (path) => {
    expect(returnPath('https://school.example', path)).toBe('/')
    expect(returnPath('https://school.example/base', path)).toBe('/base/')
  })
})
