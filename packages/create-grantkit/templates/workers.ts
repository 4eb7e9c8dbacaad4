import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { Hono } from 'hono'
import { api, server } from './server.ts'

// The class of the objects in wrangler.jsonc, in which the store has its records.
export { GrantkitRecords } from '@grantkit/store-cloudflare/durable-objects'

const app = new Hono()
app.route('/', authorizationServer(server, { remoteAddress: (c) => c.req.header('cf-connecting-ip') }))

app.get('/notes', protect(api, 'notes:read'), (c) => c.json([`a note of ${c.var.auth.token.subject}`]))

export default app
