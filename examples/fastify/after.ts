import { randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { createAuthorizationServer, createResourceServer, returnPath } from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import { type FastifyRequest, fastify } from 'fastify'

const port = Number(process.env.PORT ?? 3000)
// An example: passwords that matter are stored as hashes.
const passwords = new Map([['alice', 'wonderland']])
const sessions = new Map<string, { id: string; subject: string; authTime: number }>()
const notes = [{ author: 'alice', text: 'Curiouser and curiouser', shared: true }]

const sessionOf = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  sessions.get(/(?:^|; )session=([\w-]+)/.exec(String(headers.cookie))?.[1] ?? '')
const userOf = (auth: { kind: string; token?: { subject: string } }, request: FastifyRequest) =>
  auth.token?.subject ?? sessionOf(request)?.subject

const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`
// Everybody knows the password of the sample user.
if (!['127.0.0.1', '[::1]', 'localhost'].includes(new URL(issuer).hostname)) passwords.delete('alice')
const store = createMemoryStore()
const scopes = {
  'notes:read': { description: 'Read notes', access: 'read' },
  'notes:write': { description: 'Write notes', access: 'write' },
} as const
const ui = pages({ brand: { name: 'Notes' } })
const api = createResourceServer({ resource: issuer, store, scopes, anonymous: 'allow' })
const server = createAuthorizationServer({
  ...{ issuer, store, scopes },
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    session: async (request) => sessionOf(request),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...ui.interaction,
  },
})

const app = fastify()
await app.register(authorizationServer(server))
await app.register(formbody)

app.get('/login', (_request, reply) =>
  reply
    .type('text/html')
    .send('<form method="post"><input name="user"><input name="password" type="password"><button>Sign in'),
)

app.post<{ Body: { user: string; password: string } }>('/login', (request, reply) => {
  const { user, password } = request.body
  if (!password || passwords.get(user) !== password) return reply.code(403).send('Sorry')
  const id = randomUUID()
  sessions.set(id, { id, subject: user, authTime: Math.floor(Date.now() / 1000) })
  reply.header('set-cookie', `session=${id}; HttpOnly; SameSite=Lax; Path=/`)
  return reply.redirect(returnPath((request.query as { to?: unknown }).to, '/notes'), 303)
})

const readers = protect(api, 'notes:read')
app.get('/notes', { preHandler: readers }, async (request) => {
  const reader = userOf(readers.auth(request), request)
  return notes.filter(({ author, shared }) => shared || author === reader)
})

const writers = protect(api, 'notes:write')
const guarded = { preHandler: writers }
app.post<{ Body: { text: string; shared?: boolean } }>('/notes', guarded, async (request, reply) => {
  const author = userOf(writers.auth(request), request)
  const { text, shared } = request.body
  if (author === undefined) return reply.code(401).send({ error: 'Sign in first' })
  if (typeof text !== 'string') return reply.code(400).send({ error: 'text is missing' })
  notes.push({ author, text, shared: shared === true })
  return reply.code(201).send(notes.at(-1))
})

await app.listen({ port, host: '127.0.0.1' })
console.log(`Notes on http://127.0.0.1:${port}`)
