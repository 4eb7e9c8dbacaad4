import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, openDocumentHost } from './document-host.ts'
import { McpApp } from './mcp-app.ts'
import { type RunningService, runService } from './service.ts'

/** The official MCP client, known by the document of its app, which a host publishes over https. */

const ID = 'https://notes.dev/oauth/client.json'

const host = await openDocumentHost(documentOf)
afterAll(() => host.close())

let service: RunningService
beforeAll(async () => {
  service = await runService({ ...host.settings(['notes.dev']), DEFAULT_SCOPE: 'courses:read' })
})
afterAll(() => service.close())

it('takes the address of the document as its id, and lives by it: sign-in, consent, token, a tool, refresh', async () => {
  const app = new McpApp(service.baseUrl, ID)
  const serverUrl = `${service.baseUrl}/mcp`
  expect(await auth(app, { serverUrl })).toBe('REDIRECT')
  expect(await auth(app, { serverUrl, ...app.answer })).toBe('AUTHORIZED')

  const client = new Client({ name: 'Notes', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: app }))
  const { structuredContent } = await client.callTool({ name: 'search_courses', arguments: {} })
  expect(structuredContent, 'what only a token sees').toMatchObject({ total: 6 })
  await client.close()

  const first = app.tokens()?.access_token
  expect(await auth(app, { serverUrl })).toBe('AUTHORIZED')
  expect(app.tokens()?.access_token, 'a refresh').not.toBe(first)
  expect(host.asked, 'asked once').toEqual([ID])
  expect(await stored(), 'nothing registered').toEqual([[ID, 'document']])
})

async function stored() {
  const clients = []
  for await (const { clientId, origin } of service.store.clients.scan()) clients.push([clientId, origin])
  return clients
}
