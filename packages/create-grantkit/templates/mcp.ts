import { createMcpHandler, McpServer, requireScopes } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** The MCP server. `authInfo` comes from the guard: `extra.subject` is the user, `clientId` the app. */
export const mcp = createMcpHandler(({ authInfo }) => notesOf(String(authInfo?.extra?.subject)))

// In memory: here your database goes.
const kept = new Map<string, string[]>()

/** Your tools go here. */
function notesOf(owner: string): McpServer {
  const notes = kept.get(owner) ?? [`a note of ${owner}`]
  const mcp = new McpServer({ name: 'notes', version: '1.0.0' })
  mcp.registerTool('list_notes', { description: 'Lists the notes' }, () => ({
    content: [{ type: 'text', text: notes.join(', ') }],
  }))
  const adding = {
    description: 'Adds a note',
    inputSchema: z.object({ note: z.string() }),
    scopeChallenge: requireScopes('notes:read', 'notes:write'),
  }
  mcp.registerTool('add_note', adding, ({ note }) => {
    kept.set(owner, [...notes, note])
    return { content: [{ type: 'text', text: 'It is noted' }] }
  })
  return mcp
}
