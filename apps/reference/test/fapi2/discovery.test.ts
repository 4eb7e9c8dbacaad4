import { expect, it } from 'vitest'
import { runService } from '../service.ts'
import { suite } from './suite.ts'

const running = suite()

const ALLOWED = ['PS256', 'ES256', 'EdDSA', 'Ed25519']

it.each(['openid-configuration', 'oauth-authorization-server'])(
  'discovery-end-point-verification: the document %s says what the profile demands, and nothing that it forbids',
  async (name) => {
    const { baseUrl } = running.service
    const metadata = await (await fetch(`${baseUrl}/.well-known/${name}`)).json()
    expect(metadata).toMatchObject({
      issuer: baseUrl,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      pushed_authorization_request_endpoint: `${baseUrl}/api/oauth/par`,
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint: expect.stringContaining(baseUrl),
      jwks_uri: expect.stringContaining(baseUrl),
      subject_types_supported: ['public'],
      scopes_supported: expect.arrayContaining(['openid']),
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      client_id_metadata_document_supported: false,
    })
    expect(metadata).not.toHaveProperty('registration_endpoint')
    const lists = Object.keys(metadata).filter((member) => member.endsWith('_signing_alg_values_supported'))
    expect(lists).toEqual(expect.arrayContaining(['id_token', 'dpop', 'token_endpoint_auth'].map(listOf)))
    for (const list of lists) expect(ALLOWED, list).toEqual(expect.arrayContaining(metadata[list]))
  },
)

const listOf = (what: string) => `${what}_signing_alg_values_supported`

it('the published keys have only algorithms of the profile', async () => {
  const { keys } = await (await fetch(`${running.service.baseUrl}/api/oauth/jwks`)).json()
  expect(keys.map(({ alg }: { alg: string }) => alg).sort()).toEqual(['ES256', 'EdDSA'])
})

it('the protected resource metadata requires bound tokens', async () => {
  const answer = await fetch(`${running.service.baseUrl}/.well-known/oauth-protected-resource`)
  expect(await answer.json()).toMatchObject({ dpop_bound_access_tokens_required: true })
})

it('every other feature of the service works with the profile', async () => {
  const names = ['CLIENT_CREDENTIALS', 'FORWARD_AUTH', 'JWT_ACCESS_TOKENS', 'LOGOUT', 'TOKEN_EXCHANGE']
  const on = Object.fromEntries(names.map((name) => [name, 'on']))
  const gateway = { FORWARD_AUTH_ORIGIN: 'https://notes.example' }
  const service = await runService({ PROFILE: 'fapi2', DEVICE_GRANT: 'all', ...on, ...gateway })
  try {
    const metadata = await (await fetch(`${service.baseUrl}/.well-known/openid-configuration`)).text()
    expect(metadata).toContain('client_credentials')
    expect(metadata).not.toContain('RS256')
    expect(JSON.parse(metadata).token_endpoint_auth_methods_supported).toEqual(['private_key_jwt'])
  } finally {
    await service.close()
  }
})
