import { createRoute, guardErrors, json, z } from '@grantkit/server/routes'

const members = z.object({}).optional()
const MESSAGE = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]).optional(),
  method: z.string().optional(),
  params: members,
  result: members,
  error: members,
})

/** The headers in which a request of protocol 2026-07-28 repeats its message. */
const HEADERS = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'].map((name) => ({
  name,
  in: 'header' as const,
  schema: { type: 'string' as const },
}))

const EXAMPLE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** The MCP endpoint: one JSON-RPC message in, one out. `tools/list` describes what it can do. */
export const mcpOperation = createRoute({
  method: 'post',
  path: '/mcp',
  operationId: 'mcp',
  tags: ['Discovery'],
  summary: 'MCP server over Streamable HTTP',
  description:
    'Reads of the catalogue, public. A token shows more. Protocols 2026-07-28, and 2025-11-25 and before, whose batches have at most ten messages.',
  security: [{ oauth2: [] }, {}],
  parameters: HEADERS,
  request: {
    body: { required: true, content: { 'application/json': { schema: MESSAGE, example: EXAMPLE } } },
  },
  responses: {
    200: json('The answer', MESSAGE),
    202: { description: 'A notification was taken' },
    ...guardErrors('the token lacks a scope'),
    400: json('Not a message this server understands', { type: 'object' }),
    403: json('Another Host or Origin', { type: 'object' }),
    404: json('No method of protocol 2026-07-28', { type: 'object' }),
    406: json('The client must accept JSON and event streams', { type: 'object' }),
    415: json('Another media type', { type: 'object' }),
  },
})
