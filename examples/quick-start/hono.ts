import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { api, port, server } from './server.ts'

const app = new Hono()
app.route('/', authorizationServer(server))

app.get('/notes', protect(api, 'notes:read'), (c) => c.json([`a note of ${c.var.auth.token.subject}`]))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => {
  console.log(`Notes at http://127.0.0.1:${port}/notes`)
}).on('error', ({ message }: Error) => {
  console.error(`${message}. Set PORT`)
  process.exit(1)
})
