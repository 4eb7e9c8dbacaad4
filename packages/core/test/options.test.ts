import { generateKeyPairSync } from 'node:crypto'
import { createResourceServer, sampleSession } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { ISSUER, openService } from './service.ts'
import { TEST_KEYS } from './signing-keys.ts'

const [rsa, ec] = TEST_KEYS
const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' })

describe('an invalid option fails at creation', () => {
  it.each([
    ['issuer', { issuer: 'server.example' }, 'issuer'],
    ['issuer with a query', { issuer: 'https://server.example?x' }, 'issuer'],
    ['issuer with a fragment', { issuer: 'https://server.example#x' }, 'issuer'],
    ['issuer with a user', { issuer: 'https://u:p@server.example' }, 'issuer must be'],
    ['issuer in another letter case', { issuer: 'https://Server.example' }, 'issuer must be'],
    ['issuer in another spelling of its path', { issuer: 'https://server.example/../x' }, 'issuer must be'],
    ['secret of blanks', { secret: ' '.repeat(40) }, 'secret'],
    ['short secret', { secret: 'short' }, 'secret'],
    [
      'secret of the guides',
      { secret: 'at least 32 characters, the same everywhere' },
      'secret is an example',
    ],
    ['no key for RS256', { keys: [ec] }, 'RS256'],
    ['a public key', { keys: [{ ...rsa, d: undefined }] }, 'keys[0]'],
    ['a broken key', { keys: [{ ...rsa, n: '!' }] }, 'keys[0]'],
    ['an RSA key of 1024 bits', { keys: [{ ...shortRsa, alg: 'RS256', kid: 'short' }] }, '2048 bits'],
    ['two keys of one kid', { keys: [rsa, rsa] }, 'kid'],
    ['a default scope that does not exist', { defaultScope: 'nope' }, 'defaultScope'],
    ['a lifetime of nothing', { lifetimes: { accessToken: 0 } }, 'lifetimes.accessToken'],
    ['half a second', { lifetimes: { code: 0.5 } }, 'lifetimes.code'],
    [
      'a window of more than fifteen minutes',
      { lifetimes: { refreshRetryWindow: 901 } },
      'lifetimes.refreshRetryWindow',
    ],
    [
      'a late repeat of more than 15 minutes',
      { lifetimes: { refreshLateRetry: 901 } },
      'lifetimes.refreshLateRetry',
    ],
    ['a negative window', { lifetimes: { refreshRetryWindow: -1 } }, 'lifetimes.refreshRetryWindow'],
    ['no access token at all', { maxAccessTokens: 0 }, 'maxAccessTokens'],
    ['a resource that is no URI', { resources: [ISSUER, 'not a url'] }, 'resources[1]'],
    ['a resource with a fragment', { resources: [`${ISSUER}/mcp#x`] }, 'resources[0]'],
    [
      'a resource that is named twice',
      { resources: [ISSUER, `${ISSUER}/`] },
      `resources: ${ISSUER} is named twice`,
    ],
    [
      'the session of the examples at a public issuer',
      { interaction: { session: sampleSession('alice') } },
      'interaction.session is sampleSession: everybody would be signed in at https://',
    ],
    ['two resources with their metadata at one path', { resources: ['urn:a', 'urn:b'] }, 'urn:b would have'],
    ['a path without a slash', { paths: { token: 'token' } }, 'paths.token'],
    ['a path with a query', { paths: { jwks: '/jwks?x' } }, 'paths.jwks'],
    ['two endpoints at one path', { paths: { revoke: '/api/oauth/token' } }, '/api/oauth/token'],
    [
      'an endpoint where a document is',
      { paths: { jwks: '/.well-known/openid-configuration' } },
      'openid-conf',
    ],
    ['a scope that no request can name', { scopes: { 'courses read': { description: '' } } }, 'courses read'],
    [
      'a scope that opens a claim of the protocol',
      { scopes: { openid: { description: '', claims: ['iss'] } } },
      'iss',
    ],
    [
      'a scope that opens a claim of access tokens',
      { scopes: { openid: { description: '' }, staff: { description: '', claims: ['role', 'client_id'] } } },
      '"staff" cannot open client_id',
    ],
    ['no claims for openid', { claims: undefined }, 'claims'],
    [
      'pages in no language',
      { interaction: { uiLocales: [] } },
      'interaction.uiLocales must have a language',
    ],
    ['pages in what is no language', { interaction: { uiLocales: ['en', 'de_DE'] } }, 'uiLocales: "de_DE"'],
    [
      'a scope with a description in what is no language',
      { scopes: { notes: { description: { en: 'Notes', de_DE: 'Notizen' } } } },
      'scopes: "notes": "de_DE" is no language tag',
    ],
    [
      'a scope with an area in what is no language',
      { scopes: { notes: { description: 'Notes', area: { 'english please': 'Notes' } } } },
      'scopes: "notes": "english please"',
    ],
    [
      'a scope without a text',
      { scopes: { notes: { description: {} } } },
      'scopes: "notes" must have a language',
    ],
  ])('%s', (_, options, message) => {
    expect(() => openService(options as object)).toThrow(message)
  })

  it('a resource that is no URL', () => {
    const { store } = openService()
    for (const resource of ['service', `${ISSUER}#x`])
      expect(() => createResourceServer({ resource, store, scopes: {} })).toThrow('resource')
  })
})

it('the session of the examples signs everybody in at a loopback issuer', async () => {
  const session = sampleSession('alice')
  openService({ issuer: 'http://127.0.0.1:3000', interaction: { session } } as never)
  expect(await session({} as never)).toMatchObject({ subject: 'alice', authTime: expect.any(Number) })
})

describe('a server without openid', () => {
  it('needs no keys and has no userinfo', async () => {
    const scopes = { 'courses:read': { description: 'See courses' } } as never
    const { server } = openService({ scopes, keys: [] })
    expect(server.routes.some(({ path }) => path.endsWith('/userinfo'))).toBe(false)
  })
})
