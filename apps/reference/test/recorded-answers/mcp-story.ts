import { BASE_URL } from './service.ts'
import { tokenOf } from './sign-in.ts'
import type { Visitor } from './visitor.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }
const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

/** The MCP server, to strangers and to a client with a token. */
export async function mcpStory(visitor: Visitor): Promise<void> {
  const { json, send, get } = visitor
  const call = (method: string, params: object, headers = {}) =>
    json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params }, { ...ACCEPT, ...headers })
  await call('initialize', INITIALIZE)
  await call('resources/list', {})
  await call('resources/templates/list', {})
  await call('tools/call', { name: 'search_courses', arguments: { limit: 1 } })
  await call('tools/call', { name: 'nothing', arguments: {} })
  await call('nothing', {})
  await call('tools/list', {}, { authorization: 'Bearer token' })
  await call('tools/list', {}, { origin: 'https://evil.example' })
  await call('ping', {}, { origin: BASE_URL })
  await call('ping', {}, { host: 'evil.example' })
  await get('/mcp')
  await send({ method: 'OPTIONS', path: '/mcp' })
  const token = await tokenOf(visitor, { resource: `${BASE_URL}/mcp`, scope: 'courses:read' })
  const authorization = `Bearer ${token}`
  await call('tools/call', { name: 'search_courses', arguments: { query: 'bread' } }, { authorization })
  await get('/api/courses', { authorization })
}
