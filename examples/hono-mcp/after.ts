import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Hono } from 'hono'

const port = Number(process.env.PORT ?? 3000)

const issuer = `http://127.0.0.1:${port}`
const resource = `${issuer}/mcp`
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const
const store = createMemoryStore()
const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  resources: [resource],
  defaultScope: 'notes:read',
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    // Here your own sign-in goes: who is signed in in this browser, and where to send who is not.
    session: sampleSession('alice'),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...pages({ brand: { name: 'Notes' } }).interaction,
  },
})
const api = createResourceServer({ resource, store, scopes })

function notesServer(owner: string) {
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' })
  mcp.registerTool('list_notes', { description: 'Lists the notes' }, () => ({
    content: [{ type: 'text', text: `${owner}: buy milk` }],
  }))
  return mcp
}

const app = new Hono()

app.route('/', authorizationServer(server))
app.all('/mcp', protect(api, 'notes:read'), (c) =>
  createMcpHandler(() => notesServer(c.var.auth.token.subject)).fetch(c.req.raw),
)

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => {
  console.log(`MCP at http://127.0.0.1:${port}/mcp`)
})
