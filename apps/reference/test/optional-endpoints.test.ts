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

async function described(environment: Record<string, string>) {
  const service = await runService(environment)
  const read = async (path: string) => (await (await fetch(service.baseUrl + path)).json()) as object
  const settings = {
    openApi: (await read('/openapi.json')) as OpenApi,
    metadata: (await read('/.well-known/openid-configuration')) as Record<string, unknown>,
    walkthrough: await (await fetch(`${service.baseUrl}/auth.md`)).text(),
    operations: operationsAt(service),
  }
  await service.close()
  return { ...settings, baseUrl: service.baseUrl }
}

const plain = await described({})

it('TOKEN_EXCHANGE=on adds a grant type to the metadata, the description and auth.md, and nothing else', async () => {
  const { openApi, metadata, walkthrough } = await described({ TOKEN_EXCHANGE: 'on' })
  expect(await new Validator().validate(structuredClone(openApi))).toMatchObject({ valid: true })
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

const DEVICE = {
  '/oauth/device': ['get', 'post'],
  '/oauth/device/decision': ['post'],
  '/api/oauth/device_authorization': ['post'],
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
  ['JWT_ACCESS_TOKENS', 'on', { '/api/oauth/ended': ['post'] }, {}],
  ['PAR', 'on', { '/api/oauth/par': ['post'] }, { pushed_authorization_request_endpoint: '/api/oauth/par' }],
  ['LOGOUT', 'on', LOGOUT, { end_session_endpoint: '/oauth/logout' }],
] as const)(
  '%s=%s adds its paths to the description, its address to the metadata, and nothing else',
  async (setting, value, paths, addresses) => {
    const { openApi, metadata, baseUrl, operations } = await described({ [setting]: value })
    expect(await new Validator().validate(structuredClone(openApi))).toMatchObject({ valid: true })
    const added = Object.entries(openApi.paths).filter(([path]) => !(path in plain.openApi.paths))
    expect(Object.fromEntries(added.map(([path, methods]) => [path, Object.keys(methods)]))).toEqual(paths)
    const expected = Object.entries(addresses).map(([name, path]) => [name, baseUrl + path])
    const more = Object.entries(metadata).filter(([name]) => !(name in plain.metadata))
    expect(more).toEqual(expected)
    for (const path of Object.keys(paths)) {
      expect(operations.join('\n')).toContain(path)
      expect(plain.operations.join('\n')).not.toContain(path)
    }
  },
)

it('DPOP=on shows in the documents and in preflights, and without it nothing does', async () => {
  const shown = async (environment: Record<string, string>) => {
    const service = await runService(environment)
    const read = async (path: string, init?: RequestInit) => {
      const answer = await fetch(service.baseUrl + path, init)
      return JSON.stringify([...answer.headers]) + (await answer.text())
    }
    const paths = ['openapi.json', 'auth.md', '.well-known/openid-configuration']
    const documents = await Promise.all(
      [...paths, '.well-known/oauth-protected-resource'].map((path) => read(`/${path}`)),
    )
    const preflights = await Promise.all(
      ['api/courses', 'mcp', 'api/oauth/token'].map((path) => read(`/${path}`, { method: 'OPTIONS' })),
    )
    const openApi = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Record<string, unknown>
    await service.close()
    return { texts: [...documents, ...preflights], openApi }
  }
  const on = await shown({ DPOP: 'on' })
  expect(await new Validator().validate(on.openApi)).toMatchObject({ valid: true })
  for (const text of on.texts) expect(text).toMatch(/dpop/i)
  for (const text of (await shown({})).texts) expect(text).not.toMatch(/dpop/i)
})
