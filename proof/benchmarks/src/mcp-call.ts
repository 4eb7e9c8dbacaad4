import { inTurn, type Make, postJson, type Tokens } from './requests.ts'
import type { Workload } from './workloads.ts'

/** A call of the tool `read_courses` over Streamable HTTP, in MCP 2026-07-28, and its result. */

const META = 'io.modelcontextprotocol'
const VERSION = '2026-07-28'
export const TOOL = 'read_courses'

/** What each call reads, as the demo school of the reference service has it. */
export const COURSE = {
  id: 'watercolour-basics',
  title: 'Watercolour basics',
  lecturer: 'mira-holm',
  lessons: 14,
  price: { amount: 4900, currency: 'EUR' },
  published: true,
}

/** The same content twice, for programs and for models, as the reference service sends it. */
export function toolResult(structuredContent: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent }
}

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    _meta: { [`${META}/protocolVersion`]: VERSION, [`${META}/clientCapabilities`]: {} },
    name: TOOL,
    arguments: { id: COURSE.id },
  },
}

const HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': VERSION,
  'mcp-method': CALL.method,
  'mcp-name': TOOL,
}

export function mcpCalls(path: string, newTokens: Make<Tokens>): Workload {
  return inTurn(async () => {
    const { access_token } = await newTokens()
    return postJson(path, CALL, { ...HEADERS, authorization: `Bearer ${access_token}` })
  })
}
