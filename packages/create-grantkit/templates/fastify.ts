import { authorizationServer, protect } from '@grantkit/adapter-fastify'
import { toAuthInfo } from '@grantkit/core' // if: mcp
import { toNodeHandler } from '@modelcontextprotocol/node' // if: mcp
import { fastify } from 'fastify'
import { mcp } from './mcp.ts' // if: mcp
import { api, port, resource, server } from './server.ts' // if: mcp
import { api, port, server } from './server.ts' // if: api

const app = fastify()
await app.register(authorizationServer(server))

const guard = protect(api, 'notes:read')
app.get('/notes', { preHandler: guard }, async (request) => [ // if: api
  `a note of ${guard.auth(request).token.subject}`, // if: api
]) // if: api
const handle = toNodeHandler(mcp) // if: mcp
app.all('/mcp', { preHandler: guard }, async (request, reply) => { // if: mcp
  const auth = toAuthInfo(guard.auth(request).token, resource) // if: mcp
  reply.hijack() // if: mcp
  // A newer DPoP nonce, which hijack() would lose. // if: mcp
  for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '') // if: mcp
  await handle(Object.assign(request.raw, { auth }), reply.raw, request.body) // if: mcp
}) // if: mcp

await app.listen({ host: '127.0.0.1', port }).catch(({ message }) => {
  console.error(`${message}. Set PORT`)
  process.exit(1)
})
console.log(`Notes at http://127.0.0.1:${port}/notes`) // if: api
console.log(`MCP at ${resource}`) // if: mcp
