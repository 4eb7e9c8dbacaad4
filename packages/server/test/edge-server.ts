import { createServer } from 'node:http'
import { createJwtResourceServer, revokedTokens } from '@grantkit/core/jwt-resource-server'

/** An API at an edge: a process that has the address of the server and no store. It answers with the status of its guard. */

const { PORT, ISSUER = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env
const ended = revokedTokens({
  address: `${ISSUER}/api/oauth/ended`,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  onError: (error) => console.error(error),
})
const keys = `${ISSUER}/api/oauth/jwks`
const scopes = { 'notes:read': { description: 'Read your notes' } }
const options = { issuer: ISSUER, resource: ISSUER, scopes, keys, ended }
const api = createJwtResourceServer(options).allowing({ clientCredentials: true })
await ended.refresh()

const server = createServer(async ({ method = '', headers }, response) => {
  const access = await api.access({ method, path: '/', query: '', body: '', headers }, 'notes:read')
  response.writeHead(access.kind === 'refused' ? access.response.status : 200).end()
})
server.listen(Number(PORT), '127.0.0.1')
