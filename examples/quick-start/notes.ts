import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { createAuthorizationServer, createResourceServer, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { fastify } from 'fastify'

const port = Number(process.env.PORT ?? 3001)
const issuer = `http://127.0.0.1:${port}`
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const

const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    ...pages({ brand: { name: 'Notes' } }).interaction,
    // Your session: `async (request) => ({ id, subject, authTime })`. To begin with, every visitor is Alice.
    session: sampleSession('alice'),
    // Your sign-in page. It sends the browser back to `to`.
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
  },
})
const guard = protect(createResourceServer({ resource: issuer, store, scopes }), 'notes:read')

const app = fastify()
await app.register(authorizationServer(server))
app.get('/notes', { preHandler: guard }, async (request) => [
  `a note of ${guard.auth(request).token.subject}`,
])
await app.listen({ host: '127.0.0.1', port }).catch(({ message }) => {
  console.error(`${message}. Set PORT`)
  process.exit(1)
})
console.log(`Notes at ${issuer}/notes`)
