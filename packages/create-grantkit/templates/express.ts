import { authorizationServer, protect } from '@grantkit/adapter-express'
import { toAuthInfo } from '@grantkit/core' // if: mcp
import { toNodeHandler } from '@modelcontextprotocol/node' // if: mcp
import express from 'express'
import { mcp } from './mcp.ts' // if: mcp
import { api, port, resource, server } from './server.ts' // if: mcp
import { api, port, server } from './server.ts' // if: api

const app = express()
app.use(authorizationServer(server))
app.use(express.json())

app.get('/notes', protect(api, 'notes:read'), (_req, res) => { // if: api
  res.json([`a note of ${res.locals.auth.token.subject}`]) // if: api
}) // if: api
const handle = toNodeHandler(mcp) // if: mcp
app.all('/mcp', protect(api, 'notes:read'), (req, res) => { // if: mcp
  const auth = toAuthInfo(res.locals.auth.token, resource) // if: mcp
  return handle(Object.assign(req, { auth }), res, req.body) // if: mcp
}) // if: mcp

app.listen(port, '127.0.0.1', (error) => {
  if (error) {
    console.error(`${error.message}. Set PORT`)
    process.exit(1)
  }
  console.log(`Notes at http://127.0.0.1:${port}/notes`) // if: api
  console.log(`MCP at ${resource}`) // if: mcp
})
