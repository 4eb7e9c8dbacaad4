import { serve } from '@hono/node-server'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Hono } from 'hono'

const port = Number(process.env.PORT ?? 3000)

function notesServer() {
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' })
  mcp.registerTool('list_notes', { description: 'Lists the notes' }, () => ({
    content: [{ type: 'text', text: 'alice: buy milk' }],
  }))
  return mcp
}

const app = new Hono()

app.post('/mcp', async (c) => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await notesServer().connect(transport)
  return transport.handleRequest(c.req.raw)
})
app.all('/mcp', (c) => c.body(null, 405))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port })
