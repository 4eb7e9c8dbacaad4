import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { operationsAt } from './paths.ts'
import { runService } from './service.ts'

/** What a setting mounts is in the metadata and the description, and leaves no trace without it. */

async function described(environment: Record<string, string>) {
  const service = await runService(environment)
  const read = async (path: string) => (await (await fetch(service.baseUrl + path)).json()) as object
  const told = {
    openApi: (await read('/openapi.json')) as { paths: Record<string, object> },
    metadata: (await read('/.well-known/openid-configuration')) as Record<string, unknown>,
    operations: operationsAt(service),
  }
  await service.close()
  return { ...told, baseUrl: service.baseUrl }
}

const plain = await described({})

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
