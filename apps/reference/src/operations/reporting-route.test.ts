import { expect, it } from 'vitest'
import { reportingRoute } from './reporting-route.ts'

it('reports the error to the operator, and tells the caller only that there was one', async () => {
  const heard: unknown[] = []
  const fault = new TypeError('a secret detail')
  const route = { path: '/', methods: ['GET'], handle: () => Promise.reject(fault) }
  const request = { method: 'GET', path: '/', query: '', headers: {}, body: '' }
  const response = await reportingRoute(route, (error) => heard.push(error)).handle(request)
  expect([response.status, JSON.parse(response.body).error]).toEqual([500, 'server_error'])
  expect(response.body).not.toContain('secret')
  expect(heard).toEqual([fault])
})
