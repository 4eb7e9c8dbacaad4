import { formBrowser, testClient } from '@grantkit/testkit/client'
import { BASE_URL, type Visitor } from './visitor.ts'

const UNKNOWN = { authorization: `Bearer gka_${'x'.repeat(22)}.${'x'.repeat(43)}` }

/** The documents and assets, by their headers alone. */
export async function documentAnswers({ ask }: Visitor): Promise<void> {
  for (const path of ['/auth.md', '/llms.txt', '/openapi.json', '/docs', '/healthz'])
    await ask(path, 'HEAD', path)
  await ask('a document that is unknown', 'GET', '/docs/nothing.js')
  await ask('a document, POST', 'POST', '/auth.md')
  await ask('readiness', 'GET', '/readyz')
}

/** The API of the school. */
export async function schoolAnswers(visitor: Visitor): Promise<void> {
  const { ask } = visitor
  const courses = '/api/courses'
  const headers = { authorization: `Bearer ${await tokenOf(visitor, 'courses:read courses:write')}` }
  await ask('courses', 'GET', `${courses}?limit=1`, { headers })
  await ask('courses without a token', 'GET', `${courses}?limit=1`)
  await ask('courses with a token that is unknown', 'GET', courses, { headers: UNKNOWN })
  await ask('courses with a limit that is malformed', 'GET', `${courses}?limit=0`, { headers })
  await ask('a course that is unknown', 'GET', `${courses}/nothing`, { headers })
  await ask('students without their scope', 'GET', '/api/students', { headers })
  const json = { title: 'New', published: true }
  const made = await ask('a new course', 'POST', courses, { json, headers })
  await ask('a new course without a token', 'POST', courses, { json })
  await ask('a course that is malformed', 'POST', courses, { json: [], headers })
  await ask('a course that is deleted', 'DELETE', `${courses}/${JSON.parse(made).id}`, { headers })
}

/** The MCP server. */
export async function mcpAnswers(visitor: Visitor): Promise<void> {
  const call = (title: string, method: string, params: object, headers = {}) =>
    visitor.ask(title, 'POST', '/mcp', {
      json: { jsonrpc: '2.0', id: 1, method, params },
      headers: { accept: 'application/json, text/event-stream', ...headers },
    })
  const token = await tokenOf(visitor, 'courses:read', `${BASE_URL}/mcp`)
  const search = { name: 'search_courses', arguments: { query: 'bread' } }
  await call('a tool', 'tools/call', search, { authorization: `Bearer ${token}` })
  await call('a tool, with a token that is unknown', 'tools/call', search, UNKNOWN)
  await call('a method that is unknown', 'nothing', {})
  await call('a call from another origin', 'ping', {}, { origin: 'https://evil.example' })
  await visitor.ask('a GET', 'GET', '/mcp')
}

async function tokenOf({ send }: Visitor, scope: string, resource?: string): Promise<string> {
  const typed = { email: 'demo@example.com', password: 'demo' }
  const client = await testClient(BASE_URL, { send, browser: formBrowser({ origin: BASE_URL, typed, send }) })
  return (await client.tokens(scope, { resource })).access_token
}
