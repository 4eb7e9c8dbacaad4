import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { organizations } from '@grantkit/core/organizations'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { formBrowser, inProcess } from '@grantkit/testkit/client'
import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { McpApp } from './mcp-app.ts'

/** One MCP server with an address for each organization, and the official client connected to two of them in one process. */

const ISSUER = 'https://notes.example'
const FAMILY = `${ISSUER}/mcp/o/{organization}`
const MEMBERSHIPS = [
  { id: 'acme', name: 'Acme' },
  { id: 'birch', name: 'Birch & Sons' },
]

function notesOf(organization: unknown) {
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' })
  mcp.registerTool('whose_notes', { description: 'Names the organization' }, () => ({
    content: [{ type: 'text', text: `notes of ${organization}` }],
  }))
  return mcp
}

function openServer() {
  const store = createMemoryStore()
  const scopes = { 'notes:read': { description: 'Read your notes', access: 'read', baseline: true } } as const
  const server = createAuthorizationServer({
    ...{ issuer: ISSUER, store, scopes, resources: [FAMILY] },
    secret: 'a secret of the tests, long enough to pass',
    interaction: {
      ...pages({ brand: { name: 'Notes' } }).interaction,
      session: async () => ({ id: 'session', subject: 'alice', authTime: 1_800_000_000 }),
      signIn: () => ({ status: 303, headers: { location: '/login' }, body: '' }),
    },
    features: [organizations({ of: () => MEMBERSHIPS })],
  })
  const api = createResourceServer({ resource: FAMILY, store, scopes, requestTerms: server.requestTerms })
  const app = new Hono()
  app.route('/', authorizationServer(server))
  app.all('/mcp/o/:organization', protect(api, 'notes:read'), (c) =>
    createMcpHandler(() => notesOf(c.var.auth.token.claims?.org_id)).fetch(c.req.raw),
  )
  const fetch = async (url: string | URL, init?: RequestInit) => app.request(String(url), init)
  return { fetch, browser: formBrowser({ origin: ISSUER, typed: { password: '' }, send: inProcess(server) }) }
}

type Fetch = ReturnType<typeof openServer>['fetch']

/** Signs in as an SDK does, then calls the tool. */
interface Version {
  authorize(app: McpApp, serverUrl: string, fetchFn: Fetch, answer?: object): Promise<string>
  connect(app: McpApp, serverUrl: string, fetch: Fetch): Promise<Pick<v2.Client, 'callTool' | 'close'>>
}

const APP = { name: 'test', version: '1.0.0' }
const VERSIONS: Readonly<Record<string, Version>> = {
  'SDK 1.32': {
    authorize: (app, serverUrl, fetchFn, answer) => v1.auth(app, { serverUrl, fetchFn, ...answer }),
    async connect(authProvider, serverUrl, fetch) {
      const client = new Client(APP)
      // The types of transport and client disagree about undefined members.
      await client.connect(
        new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider, fetch }) as never,
      )
      return client as never
    },
  },
  'SDK 2': {
    authorize: (app, serverUrl, fetchFn, answer) => v2.auth(app, { serverUrl, fetchFn, ...answer }),
    async connect(authProvider, serverUrl, fetch) {
      const client = new v2.Client(APP)
      await client.connect(new v2.StreamableHTTPClientTransport(new URL(serverUrl), { authProvider, fetch }))
      return client
    },
  },
}

describe.each(Object.entries(VERSIONS))('the MCP client of %s', (_, { authorize, connect }) => {
  it('has a token of its own for each of two organizations, by their addresses alone', async () => {
    const { fetch, browser } = openServer()
    const seen: unknown[] = []
    for (const { id } of MEMBERSHIPS) {
      const app = new McpApp(ISSUER, undefined, browser)
      const serverUrl = `${ISSUER}/mcp/o/${id}`
      expect(await authorize(app, serverUrl, fetch)).toBe('REDIRECT')
      expect(await authorize(app, serverUrl, fetch, app.answer)).toBe('AUTHORIZED')
      const client = await connect(app, serverUrl, fetch)
      const { content } = await client.callTool({ name: 'whose_notes', arguments: {} })
      seen.push(content)
      await client.close()
      const elsewhere = `${ISSUER}/mcp/o/${id === 'acme' ? 'birch' : 'acme'}`
      const headers = { authorization: `Bearer ${app.tokens()?.access_token}` }
      const refused = await fetch(elsewhere, { method: 'POST', headers })
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toContain(`/mcp/o/${elsewhere.split('/').at(-1)}"`)
    }
    expect(seen).toEqual(MEMBERSHIPS.map(({ id }) => [{ type: 'text', text: `notes of ${id}` }]))
  })
})
