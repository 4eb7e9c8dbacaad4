import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

/** The MCP server. `authInfo` comes from the guard: `extra.subject` is the user, `clientId` the app. */
export const mcp = createMcpHandler(({ authInfo }) => notesOf(String(authInfo?.extra?.subject)))

/** Your tools go here. */
function notesOf(owner: string): McpServer {
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' })
  mcp.registerTool('list_notes', { description: 'Lists the notes' }, () => ({
    content: [{ type: 'text', text: `${owner}: buy milk` }],
  }))
  return mcp
}
