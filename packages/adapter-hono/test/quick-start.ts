import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { interaction } from './interaction.ts'

const port = Number(process.env.PORT ?? 4000)
const issuer = `http://127.0.0.1:${port}`
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const
const secret = process.env.SECRET ?? crypto.randomUUID()

const server = createAuthorizationServer({ issuer, store, scopes, secret, interaction })
const api = createResourceServer({ resource: issuer, store, scopes })

const app = new Hono()
app.route('/', authorizationServer(server))
app.get('/notes', protect(api, 'notes:read'), (c) => {
  // { subject, clientId, scopes, … }
  const { token } = c.var.auth
  return c.json([`a note of ${token.subject}`])
})

// On other runtimes: see below.
serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => console.log(`Notes at ${issuer}/notes`))
