import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'

const port = Number(process.env.PORT ?? 4000)
const issuer = `http://127.0.0.1:${port}`
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes' } }

// Who is signed in, and your pages. Here every user is Alice, and the consent page is as bare as can be.
const alice = { id: 'session-1', subject: 'alice', authTime: Math.floor(Date.now() / 1000) }
const page = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/html' }, body })

const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    session: async () => alice,
    signIn: (returnTo) => ({
      status: 303,
      headers: { location: `/login?to=${encodeURIComponent(returnTo)}` },
      body: '',
    }),
    errorPage: ({ status, description }) => page(status, `<h1>Sorry</h1>${description}`),
    consentPage: ({ action, ticket, scopes }) =>
      page(
        200,
        `<form method="post" action="${action.replaceAll('&', '&amp;')}">
           <input type="hidden" name="ticket" value="${ticket}">
           ${scopes.map(({ name, description }) => `<p><input type="checkbox" name="scope" value="${name}" checked>${description}`)}
           <button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button>
         </form>`,
      ),
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
