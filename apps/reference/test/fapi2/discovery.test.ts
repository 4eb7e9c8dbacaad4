import { expect, it } from 'vitest'
import { runService } from '../service.ts'
import { suite } from './suite.ts'

/** How the service describes itself, to programs and to users. */

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

const textOf = async (path: string) => (await fetch(running.service.baseUrl + path)).text()

it('auth.md says what each command additionally needs, and that the refresh token stays valid', async () => {
  const walkthrough = await textOf('/auth.md')
  for (const text of [
    'FAPI 2.0 Security Profile',
    `\`aud\` the text \`${running.service.baseUrl}\``,
    'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    'The operator adds each one',
    'public keys',
    '/api/oauth/par',
    'A refresh returns a new access token, and the refresh token stays valid.',
  ])
    expect(walkthrough).toContain(text)
  for (const text of ['client_secret', 'RS256', 'Every refresh gives a new refresh token'])
    expect(walkthrough).not.toContain(text)
})

it('the description of the API has the push and no registration', async () => {
  const { paths, components } = JSON.parse(await textOf('/openapi.json'))
  expect(Object.keys(paths)).toContain('/api/oauth/par')
  expect(Object.keys(paths)).not.toContain('/api/oauth/register')
  expect(components.securitySchemes.oauth2.description).toContain('DPoP')
})

it('the page at /docs is a public client, and cannot sign in', async () => {
  const query = new URLSearchParams({ client_id: 'docs', response_type: 'code' })
  const init = { headers: { accept: 'application/json' } }
  const answer = await fetch(`${running.service.baseUrl}/oauth/authorize?${query}`, init)
  expect([answer.status, await answer.json()]).toMatchObject([400, { reason: 'client_unknown' }])
})
