import { describe, expect, it } from 'vitest'
import { isCrossSite, returnPath } from './cross-site.ts'

const ISSUER = 'https://server.example/auth'
const OWN = 'https://server.example'
const HOST = 'localhost:3000'
const crossSite = (origin?: string, site?: string) =>
  isCrossSite(ISSUER, { origin, host: HOST, 'sec-fetch-site': site })

describe('a form', () => {
  it.each([
    ['says nothing, as a program does', undefined, undefined],
    ['names the own origin', OWN, undefined],
    ['is of the same origin', OWN, 'same-origin'],
    ['is sent again by its user', OWN, 'none'],
    ['hides its referrer', 'null', 'same-origin'],
    ['has another name of the server, as its Host does', `http://${HOST}`, 'same-origin'],
  ])('is accepted if the request %s', (_, origin, site) => {
    expect(crossSite(origin, site)).toBe(false)
  })

  it.each([
    ['is cross-site', undefined, 'cross-site'],
    ['is of a sibling host', undefined, 'same-site'],
    ['is cross-site whatever the origin', OWN, 'cross-site'],
    ['names another origin', 'https://evil.example', undefined],
    ['names another origin, though of the same site', 'https://evil.example', 'same-origin'],
    ['names another port', 'https://server.example:8443', undefined],
    ['names another scheme', 'http://server.example', undefined],
    ['comes from a sandboxed frame', 'null', 'cross-site'],
    ['has only a null origin', 'null', undefined],
    ['has only another name of the server as its origin', `http://${HOST}`, undefined],
    ['has an origin that is none', 'http://', 'same-origin'],
  ])('is refused if the request %s', (_, origin, site) => {
    expect(crossSite(origin, site)).toBe(true)
  })
})

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
