import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { fastify } from 'fastify'
import { api, port, server } from './server.ts'

const app = fastify()
await app.register(authorizationServer(server))

app.get('/notes', { preHandler: protect(api, 'notes:read') }, async ({ auth }) =>
  auth.kind === 'authorized' ? [`a note of ${auth.token.subject}`] : [],
)

await app.listen({ host: '127.0.0.1', port })
