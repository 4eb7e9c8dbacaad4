import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
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

app.all('/mcp', (c) => createMcpHandler(() => notesServer()).fetch(c.req.raw))

serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, () => {
  console.log(`MCP at http://127.0.0.1:${port}/mcp`)
})
