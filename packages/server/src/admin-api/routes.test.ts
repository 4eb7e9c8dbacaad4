import { expect, it, vi } from 'vitest'
import type { AdminApiOptions } from './operation.ts'
import { adminApi } from './routes.ts'

it('describes all routes once, and its description can be revalidated', async () => {
  const guard = { allowing: () => guard }
  const operator = { users: {}, grants: {} }
  const options = { guard, operator, store: {}, baseUrl: 'https://auth.example' }
  const app = adminApi(options as unknown as AdminApiOptions)
  const built = vi.spyOn(app, 'getOpenAPI31Document')
  const first = await app.request('/openapi.json')
  expect(first.headers.get('cache-control')).toBe('no-cache')
  expect(Object.keys(JSON.parse(await first.text()).paths)).toContain('/users')
  const headers = { 'if-none-match': String(first.headers.get('etag')) }
  expect((await app.request('/openapi.json', { headers })).status).toBe(304)
  expect(built).toHaveBeenCalledOnce()
})
