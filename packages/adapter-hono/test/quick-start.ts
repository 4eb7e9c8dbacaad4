import { authorizationServer, protect } from '@grantkit/adapter-hono'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { interaction } from './pages.ts' // who is signed in, and three pages: see the quick start of core

const port = Number(process.env.PORT ?? 4000)
const issuer = `http://127.0.0.1:${port}`
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes' } }
const secret = process.env.SECRET ?? 'at least 32 characters, the same everywhere'

const server = createAuthorizationServer({ issuer, store, scopes, secret, interaction })
const api = createResourceServer({ resource: issuer, store, scopes })

const app = new Hono()
app.route('/', authorizationServer(server))
app.get('/notes', protect(api, 'notes:read'), (c) => {
  // auth is { kind: 'anonymous' } or { kind: 'authorized', token: { subject, clientId, scopes, … } }
  const { auth } = c.var
  return c.json(auth.kind === 'authorized' ? [`a note of ${auth.token.subject}`] : [])
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }) // on other runtimes: see below
