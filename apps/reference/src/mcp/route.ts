import type { HttpRequest, HttpResponse, Route } from '@grantkit/core'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Caller, SchoolGuard } from '../guard.ts'
import { headerOf, json, methodNotAllowed, parseJson } from '../http.ts'
import type { SchoolRecords } from '../school/records.ts'
import { scopeOf } from '../scopes.ts'
import { catalogueServer, type SeesAll } from './catalogue-server.ts'
import { corsFor, rebindingRefusal } from './rebinding.ts'

/** There is no stream and no session, so GET and DELETE are refused, as the transport allows. */
const METHODS = ['POST']

/** A batch is answered in one go, and nothing else is answered meanwhile. */
const MOST_MESSAGES = 10

/** The MCP server over Streamable HTTP, stateless: any replica answers any message. */
export function mcpRoute(path: string, baseUrl: string, guard: SchoolGuard, school: SchoolRecords): Route {
  return {
    path,
    methods: METHODS,
    async handle(request) {
      const refusal = rebindingRefusal(request, baseUrl)
      if (refusal) return refusal
      const response = await answer(request, baseUrl, guard, school)
      return { ...response, headers: { ...response.headers, ...corsFor(request) } }
    },
  }
}

async function answer(
  request: HttpRequest,
  baseUrl: string,
  guard: SchoolGuard,
  school: SchoolRecords,
): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return preflight()
  if (!METHODS.includes(request.method)) return methodNotAllowed([...METHODS, 'OPTIONS'])
  const caller = await guard.access(request)
  if (caller.kind === 'refused') return caller.response
  const parsedBody = parseJson(request.body)
  if (Array.isArray(parsedBody) && parsedBody.length > MOST_MESSAGES) return batchTooLong()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = catalogueServer(school, seesAllAs(caller))
  await server.connect(transport)
  const response = await transport.handleRequest(toWebRequest(request, baseUrl), { parsedBody })
  const answered = { status: response.status, headers: headersOf(response), body: await response.text() }
  await server.close()
  return answered
}

/** An error of JSON-RPC 2.0 (5.1), which answers the batch as a whole (6). */
function batchTooLong(): HttpResponse {
  const message = `Invalid Request: a batch has at most ${MOST_MESSAGES} messages`
  const error = { code: ErrorCode.InvalidRequest, message }
  return json(400, { jsonrpc: '2.0', error, id: null }, { 'cache-control': 'no-store' })
}

/** A caller with a token sees at least what everybody sees. */
function seesAllAs(caller: Caller): SeesAll {
  const scopes = caller.kind === 'authorized' ? caller.token.scopes : []
  return (area) => scopes.includes(scopeOf(area, 'read'))
}

function toWebRequest(request: HttpRequest, baseUrl: string): Request {
  const headers = new Headers()
  for (const name of Object.keys(request.headers)) headers.set(name, headerOf(request, name))
  // The SDK wants both types by name. `*/*` names them too (RFC 9110 12.5.1), and curl sends it.
  if (headers.get('accept')?.includes('*/*')) headers.set('accept', 'application/json, text/event-stream')
  // Not the path of the request: a request line may hold an absolute URL (RFC 9112 3.2.2).
  return new Request(`${baseUrl}/mcp`, {
    method: 'POST',
    headers,
    body: request.body,
  })
}

function headersOf(response: Response): Record<string, string> {
  return { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
}

function preflight(): HttpResponse {
  const headers = {
    'access-control-allow-methods': METHODS.join(', '),
    'access-control-allow-headers':
      'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id',
    'access-control-max-age': '86400',
  }
  return { status: 204, headers, body: '' }
}
