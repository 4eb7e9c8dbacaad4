import { expect, it } from 'vitest'
import { documents } from './routes.ts'

it('describes all routes once, however often the description is read', async () => {
  let built = 0
  const context = {
    site: { basePath: '' },
    metadata: {
      issuer: 'https://school.example',
      ...{ scopes_supported: [], grant_types_supported: [], token_endpoint_auth_methods_supported: [] },
    },
    config: { features: { knownClients: [] }, lifetimes: {} },
  }
  const app = documents({
    ...({ context, school: {} } as unknown as Parameters<typeof documents>[0]),
    openApi: () => `{"built":${++built}}`,
  })
  for (const _ of ['first', 'again'])
    expect(await (await app.request('/openapi.json')).text()).toBe('{"built":1}')
})
