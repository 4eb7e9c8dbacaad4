import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../test/problems-of.ts'
import { parseConfig } from './config.ts'

const url = 'https://app.example/sign-in'
const key = 'a shared key of at least 32 bytes'
const EXTERNAL = { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY: key }

describe('users', () => {
  it('are those of the application that the environment names', () => {
    expect(parseConfig({ environment: EXTERNAL }).users).toMatchObject({ kind: 'external', url, key })
  })

  it('may have the key in a file', async () => {
    const file = join(await temporaryFolder(), 'key')
    await writeFile(file, `${key}\n`)
    const environment = { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY_FILE: file }
    expect(parseConfig({ environment }).users).toMatchObject({ url, key })
  })

  it('may be in the configuration with their key in the environment', () => {
    const config = { users: { kind: 'external' as const, url, checkSeconds: 5 } }
    const environment = { EXTERNAL_SIGN_IN_KEY: key }
    expect(parseConfig({ config, environment }).users).toMatchObject({ url, key, checkSeconds: 5 })
  })

  it('with keys of the application need no shared one, even if the environment has one', () => {
    const config = { users: { kind: 'external' as const, url, keys: 'https://app.example/keys' } }
    const { users } = parseConfig({ config, environment: { EXTERNAL_SIGN_IN_KEY: key } })
    expect(users).toMatchObject({ key: undefined, keys: 'https://app.example/keys' })
  })

  it.each<[string, Record<string, string>, string]>([
    ['no key', { EXTERNAL_SIGN_IN_URL: url }, 'EXTERNAL_SIGN_IN_KEY'],
    ['a short key', { ...EXTERNAL, EXTERNAL_SIGN_IN_KEY: 'short' }, 'has 5 bytes; it must have at least 32'],
    ['a URL on http', { ...EXTERNAL, EXTERNAL_SIGN_IN_URL: 'http://app.example' }, 'must be an https URL'],
    [
      'a missing file',
      { EXTERNAL_SIGN_IN_URL: url, EXTERNAL_SIGN_IN_KEY_FILE: '/none' },
      'cannot be read from /none',
    ],
  ])('with %s are a problem that names the variable', (_, environment, words) => {
    const [problem = '', ...others] = problemsOf(environment)
    expect(problem).toMatch(/^EXTERNAL_SIGN_IN_URL/)
    expect(problem).toContain(words)
    expect(problem).not.toContain('short')
    expect(others).toEqual([])
  })

  it('never have a key that is written into the configuration', () => {
    const [problem] = problemsOf({}, { users: { kind: 'external', url, key } })
    expect(problem).toContain('must not be written into the configuration')
    expect(problem).not.toContain(key)
  })
})

describe('upstream', () => {
  const environment = { PARTNER: 's' }
  const partner = {
    ...{ id: 'partner', label: 'Partner', issuer: 'https://idp.example' },
    ...{ clientId: 'notes', clientSecret: { env: 'PARTNER' } },
  }
  const withProvider = (change: object) => problemsOf(environment, { upstream: [{ ...partner, ...change }] })
  const issuer = 'https://login.microsoftonline.com/organizations/v2.0'
  const GUID = '6babcaad-604b-40ac-a9d7-9fd97c0b779f'

  it('may say who signs up and signs in, by domains in their ASCII form', () => {
    const rule = { emailDomains: ['CORP.example', 'münchen.example'], tenants: [GUID], groups: ['staff'] }
    const change = {
      signUp: rule,
      require: { organizations: ['notes'] },
      emailsVerified: { domains: ['corp.example'] },
    }
    const { upstream } = parseConfig({ config: { upstream: [{ ...partner, ...change }] }, environment })
    expect(upstream).toMatchObject([
      { ...change, signUp: { ...rule, emailDomains: ['corp.example', 'xn--mnchen-3ya.example'] } },
    ])
  })

  it.each([
    ['common', {}],
    ['organizations', { signUp: true }],
    ['consumers', { signUp: { emailDomains: ['corp.example'] } }],
  ])('refuses %s of Microsoft without tenants, and names what to write', (tenant, change) => {
    const everybody = issuer.replace('organizations', tenant)
    expect(withProvider({ issuer: everybody, ...change })).toEqual([
      `upstream.partner.tenants is missing: ${everybody} signs in the users of every organization. Write tenants: ['<GUID>'], or tenants: 'any'`,
    ])
    for (const tenants of [[GUID], 'any'])
      expect(withProvider({ issuer: everybody, ...change, tenants })).toEqual([])
  })

  it.each(['/common', '/Common/v2.0', ':443/common/v2.0'])('refuses it however it is spelled: %s', (rest) => {
    for (const host of ['login.microsoftonline.com', 'LOGIN.microsoftonline.us'])
      expect(withProvider({ issuer: `https://${host}${rest}` })).toEqual([
        expect.stringMatching(/^upstream\.partner\.tenants is missing/),
      ])
  })

  it.each<[object, string]>([
    [
      { issuer, tenants: 'any', require: { groups: ['staff'] } },
      'upstream.partner.require must be left out with tenants',
    ],
    [{ prompts: ['select_account'], freshness: 'returned' }, 'upstream.partner.freshness must be proven'],
    [
      { signUp: { emailDomains: ['privaterelay.appleid.com'] } },
      'upstream.partner.signUp.emailDomains[0] must be no domain of relay addresses',
    ],
    [{ issuer, tenants: ['corp'] }, 'upstream.partner.tenants must be GUIDs, not ["corp"]'],
    [
      { issuer, tenants: 'any', emailsVerified: { domains: ['corp.example'] } },
      'upstream.partner.emailsVerified must be left out with tenants',
    ],
    [
      { issuer, tenants: 'any', roles: { claim: 'groups', map: { a: ['b'] } } },
      'upstream.partner.roles must be left out with tenants',
    ],
    [{ emailsVerified: { domains: [] } }, 'upstream.partner.emailsVerified.domains must not be empty'],
    [
      { emailsVerified: { domains: ['*.corp.example'] } },
      'upstream.partner.emailsVerified.domains[0] must be a domain, as corp.example',
    ],
    [{ require: {} }, 'upstream.partner.require must name something'],
    [{ formerIssuers: [partner.issuer] }, 'has an issuer that is one of formerIssuers too'],
    [{ formerIssuers: ['idp'] }, 'upstream.partner.formerIssuers[0] must be a URL'],
    [{ signUp: 'yes' }, 'upstream.partner.signUp must be true, false, or an object'],
  ])('refuses %j', (change, problem) => {
    const [found = '', ...others] = withProvider(change)
    expect(found).toContain(problem)
    expect(others).toEqual([])
  })
})
