import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'
import { PRESET_NAMES } from './provider-presets.ts'
import type { Provider } from './providers.ts'

const environment = { S: 'a secret' }
const clientSecret = { env: 'S' }
const NEEDED = { id: 'a', clientId: 'c', clientSecret }

function provider(settings: object, variables: Record<string, string> = environment): Partial<Provider> {
  const config = { upstream: [{ ...NEEDED, ...settings }] } as never
  return parseConfig({ config, environment: variables }).upstream[0] ?? {}
}

function problems(settings: object, variables: Record<string, string> = environment) {
  return problemsOf(variables, { upstream: [{ ...NEEDED, ...settings }] })
}

describe('a preset', () => {
  it.each(PRESET_NAMES)('%s is the same as its settings, written by hand', (preset) => {
    const issuer = 'https://op.corp.example'
    const { preset: _, ...settings } = provider({ issuer, preset })
    const byHand = provider(JSON.parse(JSON.stringify({ ...settings, clientSecret })))
    expect(byHand).toEqual(settings)
    expect(settings.issuer).toBe(issuer)
  })

  it('gives way to each setting that is written', () => {
    const written = { preset: 'linkedin', label: 'Work', scope: 'openid', pkce: true, nonce: true }
    expect(provider(written)).toMatchObject({ ...written, tokenEndpointAuthMethod: 'client_secret_post' })
  })

  it('asks GitHub for the organizations only where a rule names some', () => {
    const scopeWith = (more: object) => provider({ preset: 'github', ...more }).scope
    expect(scopeWith({})).toBe('read:user user:email')
    expect(scopeWith({ require: { organizations: ['notes'] } })).toBe('read:user user:email read:org')
  })

  it('has no issuer where each customer has one', () => {
    expect(problems({ preset: 'okta' })).toEqual(['upstream.a.issuer is missing'])
    expect(problems({ preset: 'gogle', issuer: 'https://a.example' })).toEqual([
      expect.stringMatching(/^upstream\.a\.preset must be google, microsoft, .*, not "gogle"$/),
    ])
  })
})

describe('a provider', () => {
  it('without a preset has its label, issuer and secret written', () => {
    expect(problems({ clientSecret: undefined })).toEqual([
      'upstream.a.label is missing',
      'upstream.a.issuer is missing',
      'upstream.a.clientSecret is missing',
    ])
  })

  it('may have a key in place of the secret, which must be a private JWK with its algorithm', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = { ...privateKey.export({ format: 'jwk' }), alg: 'ES256' }
    const withKey = (key: object, more = {}) => [
      { preset: 'google', clientSecret: undefined, clientKey: { env: 'K' }, ...more },
      { K: JSON.stringify(key) },
    ]
    const [settings = {}, variables = {}] = withKey(jwk)
    expect(provider(settings, variables as never)).toMatchObject({ clientKey: JSON.stringify(jwk) })
    for (const wrong of [{ ...jwk, alg: undefined }, publicKey.export({ format: 'jwk' }), {}]) {
      const [settings = {}, variables = {}] = withKey(wrong)
      expect(problems(settings, variables as never)).toEqual([
        'upstream.a.clientKey must be a private JWK with "alg"',
      ])
    }
    expect(problems({ preset: 'google', tokenEndpointAuthMethod: 'private_key_jwt' })).toEqual([
      'upstream.a.clientKey is missing',
    ])
  })

  it('has a secret of Apple only with a key of Apple, and no problem quotes it', () => {
    const apple = { teamId: 'T', keyId: 'K', key: { env: 'K' } }
    const pem = (namedCurve: string) =>
      generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const settings = { preset: 'apple', clientSecret: { apple } }
    const K = pem('P-256')
    expect(provider(settings, { K }).clientSecret).toEqual({ apple: { ...apple, key: K } })
    for (const wrong of ['horse', pem('P-384')])
      expect(problems(settings, { K: wrong })).toEqual([
        'upstream.a.clientSecret.apple.key must be a PKCS#8 key of the curve P-256: the file AuthKey_….p8 of Apple',
      ])
    expect(problems(settings, {})).toEqual([
      'upstream.a.clientSecret apple.key needs the variable K, which is not set',
    ])
  })

  it('has no nonce where it is no OpenID provider', () => {
    expect(provider({ preset: 'github' })).toMatchObject({ protocol: 'github', pkce: true, nonce: false })
  })

  it('names a wrong day', () => {
    expect(problems({ preset: 'google', secretExpires: '31.1.2027' })).toEqual([
      expect.stringContaining('secretExpires must be a date such as 2027-01-31'),
    ])
  })
})
