import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import fastify from 'fastify'
import * as z from 'zod'
import { COURSE, mcpCalls, TOOL, toolResult } from '../src/mcp-call.ts'
import type { StartTarget } from '../src/workloads.ts'

/**
 * The MCP SDK without OAuth and without a database: one tool, and as many servers as run at once, each used again. No service
 * that uses the SDK is faster.
 */
export const start: StartTarget = async (port) => {
  const idle: McpServer[] = []
  const serverFor = () => {
    const server = idle.pop() ?? serverOfOneTool()
    server.server.onclose = () => idle.push(server)
    return server
  }
  const handler = createMcpHandler(serverFor, { legacy: 'reject', maxSubscriptions: 0 })
  const app = fastify()
  app.post('/mcp', async ({ body, headers }, reply) => {
    const request = new Request(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: headers as Record<string, string>,
    })
    const answer = await handler.fetch(request, { parsedBody: body })
    reply.code(answer.status).headers(Object.fromEntries(answer.headers))
    return answer.text()
  })
  await app.listen({ port, host: '127.0.0.1' })
  return { workloads: { mcp: mcpCalls('/mcp', () => ({ access_token: 'unread' })) } }
}

function serverOfOneTool(): McpServer {
  const server = new McpServer({ name: 'one-tool', version: '1.0.0' })
  const inputSchema = z.object({ id: z.string() })
  const outputSchema = z.object({ item: z.object({ id: z.string(), title: z.string() }).loose() })
  server.registerTool(TOOL, { inputSchema, outputSchema }, async () => toolResult({ item: COURSE }))
  return server
}
