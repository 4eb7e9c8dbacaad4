import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from './server.ts'

const path = '/notes' // if: api
const path = '/mcp' // if: mcp

test('a request without a token is refused, and says where tokens are', async () => {
  const access = await api.access({ method: 'GET', path, query: '', headers: {}, body: '' }, 'notes:read')
  assert(access.kind !== 'authorized')
  assert.equal(access.response.status, 401)
  assert.match(`${access.response.headers['www-authenticate']}`, /resource_metadata=/)
})
