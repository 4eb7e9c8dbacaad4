import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { fastify } from 'fastify'
import { api, port, server } from './server.ts'

const app = fastify()
await app.register(authorizationServer(server))

const guard = protect(api, 'notes:read')
app.get('/notes', { preHandler: guard }, async (request) => [
  `a note of ${guard.auth(request).token.subject}`,
])

await app.listen({ host: '127.0.0.1', port }).catch(({ message }) => {
  console.error(`${message}. Set PORT`)
  process.exit(1)
})
console.log(`Notes at http://127.0.0.1:${port}/notes`)
