import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer, type HttpResponse } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Hono } from 'hono'

const port = Number(process.env.PORT ?? 3000)

const issuer = `http://127.0.0.1:${port}`
const resource = `${issuer}/mcp`
const scopes = { 'notes:read': { description: 'Read your notes' } }
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
    session: async () => ({ id: 'session-1', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }),
    signIn: (returnTo) => page(`<a href="/login?to=${encodeURIComponent(returnTo)}">Sign in</a>`),
    errorPage: ({ status, description }) => page(description, status),
    consentPage: ({ action, ticket }) =>
      page(`<form method="post" action="${action.replaceAll('&', '&amp;')}">May this app read your notes?
        <input type="hidden" name="ticket" value="${ticket}"><input type="hidden" name="scope" value="notes:read">
        <button name="decision" value="allow">Yes</button> <button name="decision" value="deny">No</button></form>`),
  },
})
const api = createResourceServer({ resource, store, scopes })

function page(body: string, status = 200): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}

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
