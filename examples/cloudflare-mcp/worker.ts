import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { toAuthInfo } from '@grantkit/core'
import { Hono } from 'hono'
import { api, resource, server } from './authorization.ts'
import { mcp } from './notes.ts'
import { signIn } from './sign-in.ts'

// The class of the objects in wrangler.jsonc, in which the store has its records.
export { GrantkitRecords } from '@grantkit/store-cloudflare/durable-objects'

const app = new Hono()
app.route('/', authorizationServer(server, { remoteAddress: (c) => c.req.header('cf-connecting-ip') }))
app.route('/', signIn)
app.all('/mcp', protect(api, 'notes:read'), (c) =>
  mcp.fetch(c.req.raw, { authInfo: toAuthInfo(c.var.auth.token, resource) }),
)

export default app
