import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newStorage } from './new-storage.ts'
import { type RunningService, runService } from './service.ts'

/** Personal access tokens at the API and at the MCP server of the school. */

let service: RunningService
beforeAll(async () => {
  service = await runService({ PERSONAL_TOKENS: 'on' })
})
afterAll(() => service.close())

/** Creates a personal access token by the form of its page, as a browser does. @returns its text */
async function personalToken(scopes: readonly string[], path = '', { baseUrl } = service): Promise<string> {
  const headers = { cookie: await sessionCookie(baseUrl) }
  const page = await (await fetch(`${baseUrl}/account/tokens`, { headers })).text()
  const body = new URLSearchParams({ label: 'Nightly job', days: '30', resource: baseUrl + path })
  body.set('ticket', /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '')
  for (const scope of scopes) body.append('scope', scope)
  const made = await fetch(`${baseUrl}/account/tokens`, { method: 'POST', headers, body })
  return /<textarea[^>]*>(gkp_[^<]+)</.exec(await made.text())?.[1] ?? ''
}

function request(path: string, token: string, sent?: object, { baseUrl } = service): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept }
  return fetch(baseUrl + path, { headers, ...(sent && { method: 'POST', body: JSON.stringify(sent) }) })
}

it('a personal access token calls a tool of the MCP server as its user', async () => {
  const token = await personalToken(['courses:read'], '/mcp')
  const params = { name: 'search_courses', arguments: {} }
  const answer = await request('/mcp', token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const { result } = (await answer.json()) as { result: { structuredContent: object } }
  expect(result.structuredContent, 'also what is not published').toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ published: false })]),
  })
})

it('a personal access token is accepted by the API, and a service without the option refuses those from before', async () => {
  const { environment, close } = await newStorage()
  const before = await runService({ ...environment, PERSONAL_TOKENS: 'on' })
  const token = await personalToken(['courses:read'], '', before)
  const statusAt = async (at: RunningService) => (await request('/api/courses', token, undefined, at)).status
  expect(await statusAt(before)).toBe(200)
  await before.close()
  const after = await runService({ ...environment, PORT: String(before.port) })
  expect(await statusAt(after)).toBe(403)
  await after.close()
  await close()
})
