import { protect } from '@grantkit/adapter-hono'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { type Context, Hono } from 'hono'
import type { Caller, SchoolGuard } from '../guard.ts'
import { parseJson, readAhead } from '../http.ts'
import type { Guarded } from '../school/actions.ts'
import type { SchoolRecords } from '../school/records.ts'
import { scopeOf } from '../scopes.ts'
import { catalogueServer, type SeesAll } from './catalogue-server.ts'
import { mcpOperation } from './operation.ts'
import { nameOrigin, refuseRebinding } from './rebinding.ts'

/**
 * The MCP server: who may call it at all, and as whom. There is no stream and no session, so GET and DELETE are refused,
 * as the transport allows.
 */
export function mcp(baseUrl: string, guard: SchoolGuard, school: SchoolRecords): Hono<Guarded> {
  const app = new Hono<Guarded>()
  app.use('/mcp', readAhead, refuseRebinding(baseUrl), nameOrigin)
  app.post('/mcp', mcpOperation, protect(guard), async (c) => {
    const response = await answerMcp(toWebRequest(c, baseUrl), c.var.auth, school)
    const headers = { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
    return new Response((await response.text()) || null, { status: response.status, headers })
  })
  app.options('/mcp', (c) => c.body(null, 204, PREFLIGHT))
  return app
}

const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id',
  'access-control-max-age': '86400',
}

function toWebRequest(c: Context<Guarded>, baseUrl: string): Request {
  const headers = new Headers([...c.req.raw.headers])
  // The SDK wants both types by name. `*/*` names them too (RFC 9110 12.5.1), and curl sends it.
  if (headers.get('accept')?.includes('*/*')) headers.set('accept', 'application/json, text/event-stream')
  // Not the address of the request: a request line may hold an absolute URL (RFC 9112 3.2.2).
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers, body: c.var.body })
}

/** A batch is answered in one go, and nothing else is answered meanwhile. */
const MOST_MESSAGES = 10

/** The MCP server over Streamable HTTP, stateless: any replica answers any message. */
async function answerMcp(request: Request, caller: Caller, school: SchoolRecords): Promise<Response> {
  const parsedBody = parseJson(await request.text())
  if (Array.isArray(parsedBody) && parsedBody.length > MOST_MESSAGES) return batchTooLong()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = catalogueServer(school, seesAllAs(caller))
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody })
  const body = await response.text()
  await server.close()
  return new Response(body || null, response)
}

/** An error of JSON-RPC 2.0 (5.1), which answers the batch as a whole (6). */
function batchTooLong(): Response {
  const message = `Invalid Request: a batch has at most ${MOST_MESSAGES} messages`
  const error = { code: ErrorCode.InvalidRequest, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** A caller with a token sees at least what everybody sees. */
function seesAllAs(caller: Caller): SeesAll {
  const scopes = caller.kind === 'authorized' ? caller.token.scopes : []
  return (area) => scopes.includes(scopeOf(area, 'read'))
}
