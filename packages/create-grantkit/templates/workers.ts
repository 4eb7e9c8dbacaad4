import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { toAuthInfo } from '@grantkit/core' // if: mcp
import { Hono } from 'hono'
import { mcp } from './mcp.ts' // if: mcp
import { api, resource, server } from './server.ts' // if: mcp
import { api, server } from './server.ts' // if: api

// The class of the objects in wrangler.jsonc, in which the store has its records.
export { GrantkitRecords } from '@grantkit/store-cloudflare/durable-objects'

const app = new Hono()
app.route('/', authorizationServer(server, { remoteAddress: (c) => c.req.header('cf-connecting-ip') }))

app.get('/notes', protect(api, 'notes:read'), (c) => c.json([`a note of ${c.var.auth.token.subject}`])) // if: api
app.all('/mcp', protect(api, 'notes:read'), (c) => // if: mcp
  mcp.fetch(c.req.raw, { authInfo: toAuthInfo(c.var.auth.token, resource) }), // if: mcp
) // if: mcp

export default app
