import { describe, expect, it } from 'vitest'
import { isCrossSite, pageView, returnPath } from './page.ts'

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
  ])('UI-08: a return address that leads elsewhere becomes the start page: %j', (path) => {
    expect(returnPath(path)).toBe('/')
    expect(returnPath(path, '/base/')).toBe('/base/')
  })
})

const OFFERED = ['en', 'de', 'fr', 'pt-BR', 'ja']

function localeOf(acceptLanguage?: string, ui_locales?: string | string[], uiLocales = OFFERED): string {
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  const request = { method: 'GET', path: '/', query: '', headers, body: '' }
  return pageView({ uiLocales }, request, ui_locales === undefined ? {} : { ui_locales }).locale
}

describe('the language of a page, by what the browser accepts', () => {
  it.each([
    ['no header', undefined, 'en'],
    ['an empty header', '', 'en'],
    ['a language that is offered', 'de', 'de'],
    ['a region of one that is offered', 'de-AT', 'de'],
    ['a script and region of one that is offered', 'de-Latn-AT', 'de'],
    ['a language of which one region is offered', 'pt', 'pt-BR'],
    ['another region of it', 'pt-PT', 'pt-BR'],
    ['other letters', 'PT-br', 'pt-BR'],
    ['a longer language that begins alike', 'deu, fr', 'fr'],
    ['the first of two', 'fr, de', 'fr'],
    ['the weightiest, wherever it is', 'fr;q=0.3, ja;q=0.9, de;q=0.5', 'ja'],
    ['no weight is the full weight', 'fr;q=0.9, de', 'de'],
    ['equal weights in their order', 'ja;q=0.5, fr;q=0.5', 'ja'],
    ['spaces around a weight', ' fr ; q=0.3 , de ; q=0.8 ', 'de'],
    ['a weight of zero excludes a language', 'de;q=0, fr;q=0.1', 'fr'],
    ['nothing that is offered', 'xx, yy-ZZ', 'en'],
    ['the next one, if the first is not offered', 'nl, fr;q=0.8', 'fr'],
    ['any language', '*', 'en'],
    ['any language, after one that is offered', 'fr, *;q=0.5', 'fr'],
    ['a weight of several digits', 'fr;q=0.9, de;q=0.95', 'de'],
    ['a weight without digits', 'fr;q=0.9, de;q=1', 'de'],
    ['nothing but an excluded language', 'de;q=0', 'en'],
    ['a list with faults in it', 'de;q=high, x ja, ;;, =, fr;q=0.2', 'fr'],
  ])('%s', (_, accepted, locale) => {
    expect(localeOf(accepted)).toBe(locale)
  })

  it('is the first that is offered, where nothing fits', () => {
    expect(localeOf('xx', undefined, ['ja', 'de'])).toBe('ja')
  })

  it('is en, where no language is configured', () => {
    const headers = { 'accept-language': 'de' }
    const request = { method: 'GET', path: '/', query: '', headers, body: '' }
    expect(pageView({}, request)).toEqual({ request, locale: 'en' })
  })
})

describe('the language of a page, by ui_locales of the client', () => {
  it.each([
    ['comes before what the browser accepts', 'de', 'fr', 'de'],
    ['is the first one that is offered', 'nl de fr', 'ja', 'de'],
    ['leaves it to the browser, where none is offered', 'nl', 'fr', 'fr'],
    ['finds a region', 'pt', 'fr', 'pt-BR'],
    ['with more than one space', ' de   fr', 'ja', 'de'],
  ])('%s', (_, requested, accepted, locale) => {
    expect(localeOf(accepted, requested)).toBe(locale)
  })

  it('counts as none, if it is repeated', () => {
    expect(localeOf('fr', ['de', 'ja'])).toBe('fr')
  })

  it('reads the first 500 characters, so that no list takes long', () => {
    expect(localeOf('fr', `${'x-'.repeat(300)} de`)).toBe('fr')
    expect(localeOf(`${'x-'.repeat(300)}, de`)).toBe('en')
  })
})
