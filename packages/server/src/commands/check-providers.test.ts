import { testProvider } from '@grantkit/testkit/provider'
import { describe, expect, it } from 'vitest'
import { ranCommand } from '../../test/ran-command.ts'
import { providerWarnings } from '../accounts/upstream/upstream-sign-ins.ts'
import { parseConfig } from '../config/config.ts'
import { addressWarnings, providerReports } from './check-providers.ts'

type Played = Parameters<typeof testProvider>[0]

function configured(settings: object) {
  const config = { upstream: [{ ...settings, clientSecret: { env: 'S' } }] } as never
  return parseConfig({ config, environment: { S: 'horse', BASE_URL: 'http://localhost:3000' } })
}

async function reported(options: Played, settings: object = {}) {
  const op = testProvider(options)
  const fetch = (url: string, init: object) => op.fetch(url, init)
  const [report] = await providerReports(configured({ ...op.settings, ...settings }), fetch)
  return { ...report, rows: Object.fromEntries(report?.rows ?? []) }
}

const BY_DOMAIN = { emailDomains: ['corp.example'] }

describe('grantkit check', () => {
  const warned = (plays: NonNullable<NonNullable<Played>['plays']>, settings: object) =>
    addressWarnings(configured({ ...testProvider({ plays }).settings, ...settings }))

  it.each([
    ['microsoft', { signUp: BY_DOMAIN }, /Entra sends no email_verified.*xms_edov/],
    ['microsoft', { require: BY_DOMAIN, preset: undefined, label: 'Entra' }, /Entra sends no email_verified/],
    ['authentik', { linkVerifiedEmail: true }, /email_verified: false by default/],
  ] as const)(
    'warns of addresses that may never count, without a request: %s %j',
    async (plays, settings, words) => {
      expect(await warned(plays, settings)).toEqual([expect.stringMatching(words)])
      const open = { signUp: true, require: undefined, linkVerifiedEmail: false }
      expect(await warned(plays, { ...settings, ...open })).toEqual([])
      expect(await warned(plays, { ...settings, emailsVerified: { domains: ['corp.example'] } })).toEqual([])
    },
  )

  it('prints that without --providers', async () => {
    const { settings } = testProvider({ plays: 'microsoft' })
    const { errors, status } = await ranCommand(
      {
        config: { ...configured({ ...settings, signUp: BY_DOMAIN }), database: 'memory:', store: 'memory:' },
      },
      ['check'],
    )
    expect([status, errors]).toEqual([
      0,
      expect.stringContaining('The provider partner: its addresses may never count'),
    ])
  })
})

describe('grantkit check --providers', () => {
  it('prints what the provider says, the settings with those of the preset, and what to register', async () => {
    const { rows, problem, warnings } = await reported({ plays: 'linkedin' })
    expect(rows).toEqual({
      'Redirect URI': 'http://localhost:3000/login/with/partner/callback (register it there)',
      Settings: expect.stringContaining('tokenEndpointAuthMethod: client_secret_post'),
      Issuer: 'https://www.linkedin.com/oauth, as configured',
      Secret: 'not tried: only a sign-in does that',
      Client: 'client_secret_post (there: not listed)',
      PKCE: 'yes',
      form_post: 'not listed',
      claims: 'not listed',
      'End of session': 'no',
    })
    expect([problem, warnings]).toEqual([undefined, []])
    expect(JSON.stringify(rows)).not.toContain('horse')
  })

  it('says that nothing was asked of a provider without a document', async () => {
    const { rows } = await reported({ plays: 'github' })
    expect(Object.keys(rows)).toEqual(['Redirect URI', 'Settings', 'Issuer', 'Secret'])
    expect(rows.Issuer).toBe('no OpenID Connect: it has no document to read, and nothing was asked')
  })

  it('says why nobody can sign in', async () => {
    const down = await reported({ change: { isDown: true } })
    expect(down).toMatchObject({ problem: 'https://op.example: fetch failed' })
    const metadata = { issuer: 'https://other.example' }
    expect((await reported({ change: { metadata } })).problem).toContain(
      'issuer is "https://other.example", not "https://op.example/"',
    )
  })

  it('warns where signOut finds no address there', async () => {
    const settings = { signOut: 'provider' }
    const metadata = { end_session_endpoint: 'https://op.example/end' }
    expect((await reported({}, settings)).warnings).toEqual([
      'The provider partner: its document names no end_session_endpoint, so signOut does nothing',
    ])
    expect((await reported({ change: { metadata } }, settings)).warnings).toEqual([])
  })

  it('warns where the document lists no email_verified', async () => {
    const metadata = { claims_supported: ['sub', 'email'] }
    const settings = { signUp: { emailDomains: ['corp.example'] } }
    expect((await reported({ change: { metadata } }, settings)).warnings).toEqual([
      expect.stringContaining('its document lists no claim email_verified'),
    ])
  })
})

describe('a start', () => {
  const now = Date.parse('2027-01-01T12:00:00Z')
  const partner = { id: 'partner', label: 'Partner', issuer: 'https://op.example', clientId: 'c' }

  it.each([
    [{ preset: 'linkedin' }, /neither PKCE nor a nonce.*signs in no admin/],
    [{ pkce: false }, /no PKCE, so its answers are bound by the nonce alone/],
    [{ nonce: false }, /no nonce, so its answers are bound by PKCE alone/],
    [{ secretExpires: '2027-01-31' }, /its secret ends on 2027-01-31, in 30 days/],
    [{ secretExpires: '2027-01-01' }, /its secret ends on 2027-01-01, in 0 days/],
    [{ secretExpires: '2026-12-31' }, /its secret ended on 2026-12-31/],
  ])('warns of %j', async (settings, words) => {
    const warnings = await providerWarnings(configured({ ...partner, ...settings }), now)
    expect(warnings).toContainEqual(expect.stringMatching(words))
    expect(warnings[0]).toMatch(/^The provider partner: /)
  })

  it.each([
    [{}, [expect.stringMatching(/roles and has no trustAcr, so from the day of requirePasskey on/)]],
    [{ trustAcr: true }, []],
    [{ roles: undefined }, []],
  ])('warns of roles that nobody gets who needs a passkey: %j', async (settings, warnings) => {
    const roles = { claim: 'groups', map: { staff: ['editor'] } }
    const { upstream, upstreamFile } = configured({ ...partner, roles, ...settings })
    const requirePasskey = { who: 'admins', from: '2027-01-31' } as const
    const config = { upstream, upstreamFile, requirePasskey }
    expect(await providerWarnings(config, now)).toEqual(warnings)
  })

  it.each([{}, { secretExpires: '2027-02-02' }, { protocol: 'github' }])(
    'warns of nothing: %j',
    async (settings) => {
      expect(await providerWarnings(configured({ ...partner, ...settings }), now)).toEqual([])
    },
  )
})
