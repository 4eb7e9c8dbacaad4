import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { toAuthInfo } from '@grantkit/core' // if: mcp
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { mcp } from './mcp.ts' // if: mcp
import { api, port, resource, server } from './server.ts' // if: mcp
import { api, port, server } from './server.ts' // if: api

const app = new Hono()
app.route('/', authorizationServer(server))

app.get('/notes', protect(api, 'notes:read'), (c) => c.json([`a note of ${c.var.auth.token.subject}`])) // if: api
app.all('/mcp', protect(api, 'notes:read'), (c) => // if: mcp
  mcp.fetch(c.req.raw, { authInfo: toAuthInfo(c.var.auth.token, resource) }), // if: mcp
) // if: mcp

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => {
  console.log(`Notes at http://127.0.0.1:${port}/notes`) // if: api
  console.log(`MCP at ${resource}`) // if: mcp
}).on('error', ({ message }: Error) => {
  console.error(`${message}. Set PORT`)
  process.exit(1)
})
