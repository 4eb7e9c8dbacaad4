import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createAuthorizationServer, createResourceServer, sampleSession } from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'

const port = Number(process.env.PORT ?? 4000)
const issuer = `http://127.0.0.1:${port}`
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const

const ui = pages({ brand: { name: 'Notes' } })

const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    // Your session: `async (request) => ({ id, subject, authTime })`. To begin with, every visitor is Alice.
    session: sampleSession('alice'),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...ui.interaction,
  },
})

// The guard: a missing or an invalid token is rejected, and the scope is checked by the compiler as well.
const api = createResourceServer({ resource: issuer, store, scopes })
const notes = {
  path: '/notes',
  async handle(request: Parameters<typeof api.access>[0]) {
    const access = await api.access(request, 'notes:read')
    if (access.kind === 'refused') return access.response
    const body = JSON.stringify([`a note of ${access.token.subject}`])
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  },
}

// Any framework will do; this is Node's own server.
const routes = new Map([...server.routes, notes].map((route) => [route.path, route]))
createServer(async (incoming, outgoing) => {
  const [path = '', query = ''] = (incoming.url ?? '').split('?')
  const route = routes.get(path)
  const { method = '', headers } = incoming
  const answer = await route?.handle({ method, path, query, headers, body: await text(incoming) })
  outgoing.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body)
}).listen(port, '127.0.0.1', () => console.log(`Notes at ${issuer}/notes`))
