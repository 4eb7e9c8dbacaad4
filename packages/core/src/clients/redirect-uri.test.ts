import { describe, expect, it } from 'vitest'
import {
  applicationTypeOf,
  formActionSources,
  isLoopback,
  isRegistrableByOperator,
  loopbackAnd,
  loopbackOnly,
  redirectUriMatches,
  redirectUriPolicyOf,
  refuseResponseParameters,
  withParameters,
} from './redirect-uri.ts'

const CB = 'http://127.0.0.1:7001/cb'

/** Refused redirect URIs by row, each tried alone and next to a good one. */
const REFUSED_URIS: Record<string, readonly string[]> = {
  'RR-01, REQ-60: https is refused, also on a loopback address': [
    'https://app.example/cb',
    'https://127.0.0.1/cb',
    'https://localhost/cb',
  ],
  'RR-02, REQ-60: a host that only looks like loopback is refused': [
    'http://127.0.0.1.evil.com/cb',
    'http://evil.com/127.0.0.1',
    'http://localhost.evil.com/',
    'http://evil.com?x=127.0.0.1',
    'http://127.0.0.1@evil.com/cb',
    'http://user:pw@127.0.0.1/cb',
    'http://evil.com#@127.0.0.1/',
    'http://127.0.0.1\\@evil.com/',
    'http://[::1].evil.com/',
    'http://[::ffff:127.0.0.1]/cb',
    'http://2130706433/cb',
    'http://0x7f.1/cb',
    'http://127.1/cb',
    'http://127.0.0.2/cb',
    'http://0.0.0.0/cb',
    '//127.0.0.1/cb',
    '127.0.0.1/cb',
    'http:127.0.0.1/cb',
    'http:///127.0.0.1/cb',
    'http://127。0。0。1/cb',
    'http://evil.com@127.0.0.1/',
    'http://127.0.0.1:7001\\@evil.com/',
    'http://LOCALHOST/cb',
    '',
    `http://127.0.0.1/${'a'.repeat(2048)}`,
  ],
  'RR-04, REQ-60: a fragment is refused, even an empty one': [`${CB}#x`, `${CB}#`],
  'RR-06, REQ-60: a scheme that is not http is refused, however it is written': [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)//http://127.0.0.1/',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:http://127.0.0.1/x',
    'intent://127.0.0.1/#Intent;end',
    'com.example.app:/cb',
    ' javascript:alert(1)',
    '\tjavascript:alert(1)',
    'java\nscript:alert(1)',
    ` ${CB}`,
    `${CB}\n`,
    'http://127.0.0.1/%0ajavascript:alert(1)',
    'HTTP://127.0.0.1/cb',
  ],
  'RR-08, REQ-60: a pattern is refused': [
    'http://127.0.0.1:*/cb',
    'http://127.0.0.1/*',
    'http://127x0.0.1/',
    'http://*.0.0.1/',
    'http://127.0.0.1/[a-z]+',
    'http://127.0.0.1/{x}',
    'http://127.0.0.1:7001/<script>',
    'http://127.0.0.1/cb?x=%2',
    `${CB}%0a`,
  ],
  'RR-09: a port that is none is refused': ['0', '65536', '99999999999', '-1', '+80', '08', '', '80a'].map(
    (port) => `http://127.0.0.1:${port}/cb`,
  ),
}

describe('isLoopback', () => {
  it.each([
    'http://127.0.0.1:7001/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:7001',
    'http://[::1]:8080/cb?from=app&x=%20y',
    'http://localhost:33418/',
    'http://127.0.0.1:65535/a/b.c~d',
    'http://127.0.0.1:8080/caf%C3%A9/%20',
  ])('accepts %s', (uri) => {
    expect(isLoopback(uri)).toBe(true)
  })

  it.each(Object.entries(REFUSED_URIS))('%s', (_, uris) => {
    const policy = loopbackOnly({ mixed: 'refuse', query: true })
    for (const uri of uris)
      for (const list of [[uri], [CB, uri]]) expect(policy(list), uri).toHaveProperty('refused')
  })

  it('RR-03: a query is refused, even an empty one', () => {
    const policy = loopbackOnly({ mixed: 'refuse' })
    for (const uri of [`${CB}?`, `${CB}?a=1`, `${CB}?code=x`])
      for (const list of [[uri], [CB, uri]]) expect(policy(list), uri).toHaveProperty('refused')
  })
})

describe('redirectUriMatches', () => {
  const registered = 'http://127.0.0.1:7001/callback?x=1'

  it('accepts the identical string', () => {
    expect(redirectUriMatches(registered, registered)).toBe(true)
  })

  it.each([
    ['http://127.0.0.1:65000/callback?x=1', 'another port of the IP literal'],
    ['http://127.0.0.1/callback?x=1', 'no port'],
  ])('accepts %s: %s', (requested) => {
    expect(redirectUriMatches(registered, requested)).toBe(true)
  })

  it.each([
    'http://127.0.0.1:7001/callback',
    'http://127.0.0.1:7001/callback?x=1&y=2',
    'http://127.0.0.1:7001/callback/?x=1',
    'http://127.0.0.1:7001/CALLBACK?x=1',
    'http://127.0.0.1:7001/%63allback?x=1',
    'http://127.0.0.1:7001/a/../callback?x=1',
    'HTTP://127.0.0.1:7001/callback?x=1',
    'http://localhost:7001/callback?x=1',
    'http://[::1]:7001/callback?x=1',
    'https://127.0.0.1:7001/callback?x=1',
    'http://127.0.0.1:70010000/callback?x=1',
    'http://127.0.0.1:7001/callback?',
    'http://127.0.0.1:7001/callback/x?x=1',
    'http://127.0.0.1:7001/callbackx?x=1',
    'http://127.0.0.1:7001//callback?x=1',
    'http://127.0.0.1:7001\\@evil.example/callback?x=1',
    'http://a@127.0.0.1:7001/callback?x=1',
    `${registered}#f`,
    ` ${registered}`,
    `${registered} `,
    `${registered}\r\n`,
  ])('RA-02, REQ-12: refuses a URI that differs in more than the port: %j', (requested) => {
    expect(redirectUriMatches(registered, requested)).toBe(false)
  })

  it.each(['http://localhost/cb', 'http://localhost:1/cb'])(
    'D2, REQ-12: frees the port of the name localhost, which is never an address: %s',
    (localhost) => {
      for (const port of ['', ':2', ':49152']) {
        expect(redirectUriMatches(localhost, `http://localhost${port}/cb`)).toBe(true)
        for (const host of ['127.0.0.1', '[::1]', 'LOCALHOST', 'localhost.', 'a.localhost'])
          expect(redirectUriMatches(localhost, `http://${host}${port}/cb`), host).toBe(false)
      }
      expect(redirectUriMatches(localhost, 'http://localhost:2/other')).toBe(false)
    },
  )

  it('compares an https URI as a string only', () => {
    expect(redirectUriMatches('https://app.example/cb', 'https://app.example:444/cb')).toBe(false)
    expect(redirectUriMatches('https://app.example/cb', 'http://127.0.0.1/cb')).toBe(false)
    expect(redirectUriMatches('https://app.example/cb', 'https://app.example/cb')).toBe(true)
  })
})

describe('isRegistrableByOperator', () => {
  it.each([
    ['https://app.example/cb', true],
    ['https://app.example:8443/cb?x=1', true],
    ['http://127.0.0.1:1/cb', true],
    ['http://app.example/cb', false],
    ['https://app.example/cb#x', false],
    ['https://user@app.example/cb', false],
    ['https:/app.example', false],
    ['https://app.example/a b', false],
    ['javascript:alert(1)', false],
    ['javascript:https://app.example/cb', false],
    ['https://app.example', true],
    ['com.example.app:/cb', true],
    ['com.example.app://cb?x=1', true],
    ['com.example.app:cb', false],
    ['com.example.app:/cb#x', false],
    ['com.example.app:/a b', false],
    ['com.example.app:/*', false],
    ['com.example.app:/cb?to=https://app.example', true],
    [`com.example.app:/${'x'.repeat(2031)}`, true],
    [`com.example.app:/${'x'.repeat(2032)}`, false],
    ['cursor://anysphere.cursor/cb', true],
    ['ms-word:/x', false],
    ['data:text/html,x', false],
    [`https://app.example/${'x'.repeat(2028)}`, true],
    [`https://app.example/${'x'.repeat(2029)}`, false],
  ])('%s: %s', (uri, expected) => {
    expect(isRegistrableByOperator(uri)).toBe(expected)
  })
})

describe('applicationTypeOf', () => {
  it.each([
    [['http://127.0.0.1/cb', 'com.example.app:/cb'], 'native'],
    [['com.example.app:/cb?to=https://app.example'], 'native'],
    [['http://127.0.0.1/cb', 'https://app.example/cb'], 'web'],
    [['http://intranet.example/cb'], 'web'],
    [['HTTPS://app.example/cb'], 'web'],
  ])('of a client with %j is %s', (redirectUris, type) => {
    expect(applicationTypeOf(redirectUris)).toBe(type)
  })
})

describe('withParameters', () => {
  it('keeps the query a redirect URI already has', () => {
    expect(withParameters('http://127.0.0.1/cb?a=1', { code: 'x y', state: undefined })).toBe(
      'http://127.0.0.1/cb?a=1&code=x+y',
    )
  })

  it('REQ-74: line breaks in a redirect are encoded, so no header can be injected', () => {
    expect(withParameters('http://127.0.0.1/cb', { state: 'a\r\nSet-Cookie: b' })).not.toMatch(/[\r\n]/)
  })
})

describe('formActionSources', () => {
  it.each([
    ['http://127.0.0.1:7001/cb?x', ['http://127.0.0.1:7001']],
    ['https://app.example/cb', ['https://app.example']],
    // CSP host sources have no IPv6 literals.
    ['http://[::1]:7001/cb', ['http:']],
    ['com.example.app:/cb', ['com.example.app:']],
    ['cursor://anysphere.cursor/cb', ['cursor:']],
    ['com.example.app:/cb?to=https://app.example', ['com.example.app:']],
    // A relative address allows nothing.
    ['/cb?to=com.example.app:/', ['']],
  ])('%s -> %j', (uri, sources) => {
    expect(formActionSources(uri)).toEqual(sources)
  })
})

describe('loopbackOnly', () => {
  const loopback = 'http://127.0.0.1:1/cb'
  const https = 'https://app.example/cb'

  it('does not repeat the input, which may be a secret in the wrong field', () => {
    expect(loopbackOnly()(['gkr_a-token'])).toEqual({
      refused: 'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback',
    })
  })

  it('keeps the loopback part of a mixed list', () => {
    expect(loopbackOnly()([https, loopback])).toEqual({ accepted: [loopback] })
  })

  it('accepts a query only if configured', () => {
    expect(loopbackOnly()([`${loopback}?a=1`])).toEqual({ refused: 'redirect_uris[0]: must have no query' })
    expect(loopbackOnly({ query: true })([`${loopback}?a=1`])).toHaveProperty('accepted')
  })

  it('accepts the name localhost unless configured otherwise', () => {
    expect(loopbackOnly()(['http://localhost:1/cb'])).toHaveProperty('accepted')
    expect(loopbackOnly({ localhost: false })(['http://localhost:1/cb'])).toEqual({
      refused: 'redirect_uris[0]: use 127.0.0.1 or [::1] rather than localhost',
    })
    expect(loopbackOnly({ localhost: false })([loopback]), 'an IP literal').toHaveProperty('accepted')
  })
})

describe('loopbackAnd', () => {
  const known = 'app.example:/cb'
  const policy = loopbackAnd((uri) => (uri === known ? undefined : 'foreign'), { mixed: 'refuse' })

  it('accepts loopback addresses and what the rule accepts', () => {
    const uris = [known, 'http://127.0.0.1/cb']
    expect(policy(uris)).toEqual({ accepted: uris })
  })

  it('asks the rule about no address of http', () => {
    expect(policy(['HTTP://127.0.0.1/cb?a=1', 'http://127.0.0.1/cb?a=1', 'https://127.0.0.1/cb'])).toEqual({
      refused:
        'redirect_uris[0]: not a loopback address such as http://127.0.0.1:8080/callback; redirect_uris[1]: must have no query; redirect_uris[2]: foreign',
    })
  })
})

describe('redirectUriPolicyOf', () => {
  it('refuses the list for a policy that keeps no URI', () => {
    const policy = redirectUriPolicyOf({ redirectUriPolicy: () => ({ accepted: [] }) })
    expect(policy(['https://app.example/cb'])).toEqual({ refused: 'redirect_uris: none is accepted' })
  })
})

it.each([
  ['https://app.example/cb', 'no query'],
  ['com.example.app:/cb;a=1&code=x', 'a path that looks like a query'],
  ['https://app.example/cb?a=code', 'the name as a value'],
  ['https://app.example/cb?co?de=1', 'a question mark in a name'],
])('accepts %s: %s', (uri) => {
  expect(() => refuseResponseParameters([uri])).not.toThrow()
})

it.each([
  ['https://app.example/cb?a=1&code=x', 'the name of a response parameter'],
  ['https://app.example/cb?a=1;code=x', 'a semicolon as separator'],
  ['https://app.example/cb??code=x', 'a second question mark, which URL parsers drop'],
  ['https://app.example/cb?a=?&code=x', 'a later question mark'],
  ['app:/cb\n?code=x', 'a line break before the query'],
])('refuses %j: %s', (uri) => {
  expect(() => refuseResponseParameters(['https://app.example/cb', uri])).toThrow('redirect_uris[1]')
})
