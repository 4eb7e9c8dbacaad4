import { authorizationServer, protect } from '@grantkit/adapter-express'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import express from 'express'
import { interaction } from './interaction.ts'

const port = Number(process.env.PORT ?? 3000)
const issuer = `http://127.0.0.1:${port}`
const secret = process.env.SECRET ?? crypto.randomUUID()
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const
const server = createAuthorizationServer({ issuer, store, scopes, secret, interaction })
const api = createResourceServer({ resource: issuer, store, scopes })

const app = express()
app.use(authorizationServer(server))
app.use(express.json())

app.get('/notes', protect(api, 'notes:read'), (_req, res) => {
  // { subject, clientId, scopes, … }
  const { token } = res.locals.auth
  res.json([`a note of ${token.subject}`])
})

app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`Notes at ${issuer}/notes`)
})
