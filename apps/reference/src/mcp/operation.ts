import { challengeAnswer, describe, type Json, jsonAnswer, jsonBody } from '../openapi/operation.ts'

const MESSAGE: Json = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', enum: ['2.0'] },
    id: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    method: { type: 'string' },
    params: { type: 'object' },
    result: { type: 'object' },
    error: { type: 'object' },
  },
}

/** The headers in which a request of protocol 2026-07-28 repeats its message. */
const HEADERS = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'].map((name) => ({
  name,
  in: 'header',
  schema: { type: 'string' },
}))

/** The MCP endpoint: one JSON-RPC message in, one out. `tools/list` describes what it can do. */
export const mcpOperation = describe({
  operationId: 'mcp',
  tag: 'Discovery',
  summary: 'MCP server over Streamable HTTP',
  description:
    'Reads of the catalogue, public. A token shows more. Protocols 2026-07-28, and 2025-11-25 and before, whose batches have at most ten messages.',
  security: [{ oauth2: [] }, {}],
  parameters: HEADERS,
  requestBody: jsonBody(MESSAGE, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  responses: {
    '200': jsonAnswer('The answer', MESSAGE),
    '202': { description: 'A notification was taken' },
    '400': jsonAnswer('Not a message this server understands', { type: 'object' }),
    '401': challengeAnswer(
      'The token is not valid',
      'invalid_token',
      'The access token is unknown, expired or revoked',
    ),
    '403': jsonAnswer('Another Host or Origin', { type: 'object' }),
    '404': jsonAnswer('No method of protocol 2026-07-28', { type: 'object' }),
    '406': jsonAnswer('The client must accept JSON and event streams', { type: 'object' }),
    '415': jsonAnswer('Another media type', { type: 'object' }),
  },
})
