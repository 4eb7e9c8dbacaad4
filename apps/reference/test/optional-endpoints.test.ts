import { TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { operationsAt } from './paths.ts'
import { runService } from './service.ts'

/** What a setting mounts is in the metadata and the description, and leaves no trace without it. */

type OpenApi = {
  readonly paths: Record<string, object>
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> }
}

const DESCRIPTION = '/openapi.json'
const WALKTHROUGH = '/auth.md'
const METADATA = '/.well-known/openid-configuration'
const RESOURCE = '/.well-known/oauth-protected-resource'
const PREFLIGHTS = ['/api/courses', '/mcp', '/api/oauth/token']

/** To compile what it validates by takes a second. */
const validator = new Validator()

async function described(environment: Record<string, string>) {
  const service = await runService(environment)
  const read = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(service.baseUrl + path, init)
    return [path, { body: await answer.text(), headers: JSON.stringify([...answer.headers]) }] as const
  }
  const documents = Object.fromEntries(
    await Promise.all([DESCRIPTION, WALKTHROUGH, METADATA, RESOURCE].map((path) => read(path))),
  )
  const preflights = await Promise.all(PREFLIGHTS.map((path) => read(path, { method: 'OPTIONS' })))
  const openApi = JSON.parse(documents[DESCRIPTION]?.body ?? '') as OpenApi
  await service.close()
  expect(await validator.validate(structuredClone(openApi))).toMatchObject({ valid: true })
  return {
    openApi,
    metadata: JSON.parse(documents[METADATA]?.body ?? '') as Record<string, unknown>,
    walkthrough: documents[WALKTHROUGH]?.body ?? '',
    documents,
    preflights,
    operations: operationsAt(service),
    baseUrl: service.baseUrl,
  }
}

const plain = await described({})

it('TOKEN_EXCHANGE=on adds a grant type to the metadata, the description and auth.md, and nothing else', async () => {
  const { openApi, metadata, walkthrough } = await described({ TOKEN_EXCHANGE: 'on' })
  expect(Object.keys(openApi.paths)).toEqual(Object.keys(plain.openApi.paths))
  const { grant_types_supported: before, ...rest } = plain.metadata
  const { grant_types_supported: after, ...others } = metadata
  expect(after).toEqual([...(before as string[]), TOKEN_EXCHANGE])
  expect(Object.keys(others)).toEqual(Object.keys(rest))
  const schemas = openApi.components.schemas
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['TokenExchange', 'Tokens']))
  expect(schemas.Tokens?.properties).toHaveProperty('issued_token_type')
  expect(plain.openApi.components.schemas).not.toHaveProperty('TokenExchange')
  expect(plain.openApi.components.schemas.Tokens?.properties).not.toHaveProperty('issued_token_type')
  expect(walkthrough).toContain('## Token exchange')
  expect(plain.walkthrough).not.toContain('## Token exchange')
})

it('REQUEST_OBJECTS=on adds its parameter to the description', async () => {
  const ofRequest = expect.objectContaining({ name: 'request', in: 'query' })
  const itsParameter = { get: { parameters: expect.arrayContaining([ofRequest]) } }
  const { openApi } = await described({ REQUEST_OBJECTS: 'on' })
  expect(openApi.paths['/oauth/authorize']).toMatchObject(itsParameter)
  expect(plain.openApi.paths['/oauth/authorize']).not.toMatchObject(itsParameter)
})

const DEVICE = {
  '/oauth/device': ['get', 'post'],
  '/oauth/device/decision': ['post'],
  '/api/oauth/device_authorization': ['post'],
}
const BACKCHANNEL = {
  '/oauth/requests': ['get', 'post'],
  '/oauth/requests/decision': ['post'],
  '/api/oauth/bc-authorize': ['post'],
}
const LOGOUT = { '/oauth/logout': ['get', 'post'], '/oauth/logout/confirm': ['post'] }

it.each([
  ['FORWARD_AUTH', 'on', { '/api/oauth/verify': ['get'] }, {}],
  [
    'DEVICE_GRANT',
    'integrations',
    DEVICE,
    { device_authorization_endpoint: '/api/oauth/device_authorization' },
  ],
  [
    'BACKCHANNEL_AUTHENTICATION',
    'on',
    BACKCHANNEL,
    {
      backchannel_authentication_endpoint: '/api/oauth/bc-authorize',
      backchannel_token_delivery_modes_supported: ['poll'],
      backchannel_user_code_parameter_supported: false,
    },
  ],
  ['JWT_ACCESS_TOKENS', 'on', { '/api/oauth/ended': ['post'] }, {}],
  ['PAR', 'on', { '/api/oauth/par': ['post'] }, { pushed_authorization_request_endpoint: '/api/oauth/par' }],
  ['LOGOUT', 'on', LOGOUT, { end_session_endpoint: '/oauth/logout' }],
] as const)(
  '%s=%s adds its paths to the description, its address to the metadata, and nothing else',
  async (setting, value, paths, members) => {
    const { openApi, metadata, baseUrl, operations } = await described({ [setting]: value })
    const added = Object.entries(openApi.paths).filter(([path]) => !(path in plain.openApi.paths))
    expect(Object.fromEntries(added.map(([path, methods]) => [path, Object.keys(methods)]))).toEqual(paths)
    const expected = Object.entries(members).map(([name, value]) => {
      return [name, typeof value === 'string' ? baseUrl + value : value]
    })
    const more = Object.entries(metadata).filter(([name]) => !(name in plain.metadata))
    expect(more).toEqual(expected)
    for (const path of Object.keys(paths)) {
      expect(operations.join('\n')).toContain(path)
      expect(plain.operations.join('\n')).not.toContain(path)
    }
  },
)

it('DPOP=on shows in the documents and in preflights, and without it nothing does', async () => {
  const on = await described({ DPOP: 'on' })
  for (const [path, { body }] of Object.entries(on.documents)) expect(body, path).toMatch(/dpop/i)
  for (const [path, { headers }] of on.preflights) expect(headers, path).toMatch(/dpop/i)
  expect(JSON.stringify([plain.documents, plain.preflights])).not.toMatch(/dpop/i)
})

it('CLIENT_CREDENTIALS=on shows in the documents, and without it nothing does', async () => {
  const { documents, walkthrough } = await described({ CLIENT_CREDENTIALS: 'on' })
  for (const path of [METADATA, DESCRIPTION, WALKTHROUGH]) {
    expect(documents[path]?.body, path).toContain('client_credentials')
    expect(plain.documents[path]?.body, path).not.toMatch(
      /client_credentials|private_key_jwt|client_assertion/,
    )
  }
  expect(walkthrough).toContain('private_key_jwt')
  expect(documents[DESCRIPTION]?.body).toContain('clientCredentials')
})
