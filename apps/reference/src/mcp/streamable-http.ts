import { parseJson } from '@grantkit/server/routes'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Caller } from '../oauth/guard.ts'
import { scopeOf } from '../oauth/scopes.ts'
import type { SchoolRecords } from '../school/records.ts'
import { catalogueServer, type SeesAll } from './catalogue-server.ts'

/** A batch is processed in one go, which blocks other requests. */
const MAX_MESSAGES = 10

/** Handles one POST of an authenticated or anonymous caller. */
export type AnswerMcp = (request: Request, caller: Caller) => Promise<Response>

/**
 * The catalogue over Streamable HTTP, stateless: any replica answers any message. A request of protocol 2026-07-28 is
 * known by its `_meta`; every other one is served by the rules of 2025-11-25 and before.
 */
export function catalogueOverHttp(school: SchoolRecords): AnswerMcp {
  return async (request, caller) => {
    const parsedBody = parseJson(await request.text())
    if (Array.isArray(parsedBody) && parsedBody.length > MAX_MESSAGES) return batchTooLong()
    const catalogue = () => catalogueServer(school, seesAllAs(caller))
    const initializes = parsedBody === undefined || (await isLegacyRequest(request, parsedBody))
    return initializes
      ? answerWithInitialize(request, parsedBody, catalogue())
      : answerStateless(request, parsedBody, catalogue)
  }
}

/** Nothing changes while a client listens, so subscriptions are not supported. */
function answerStateless(request: Request, parsedBody: unknown, catalogue: () => McpServer) {
  return createMcpHandler(catalogue, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody })
}

/** As one JSON body, which the fallback of the SDK does not support. */
async function answerWithInitialize(request: Request, parsedBody: unknown, server: McpServer) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(acceptingBoth(request), { parsedBody })
  await server.close()
  return response
}

/** The SDK requires both types by name. The wildcard includes them (RFC 9110 12.5.1), and curl sends it. */
function acceptingBoth({ url, method, headers }: Request): Request {
  const accepting = new Headers(headers)
  if (headers.get('accept')?.includes('*/*')) accepting.set('accept', 'application/json, text/event-stream')
  return new Request(url, { method, headers: accepting })
}

/** An error of JSON-RPC 2.0 (5.1) for the batch as a whole (6). */
function batchTooLong(): Response {
  const message = `Invalid Request: a batch has at most ${MAX_MESSAGES} messages`
  const error = { code: ProtocolErrorCode.InvalidRequest, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** A caller with a token sees at least the public records. */
function seesAllAs(caller: Caller): SeesAll {
  const scopes = caller.kind === 'authorized' ? caller.token.scopes : []
  return (area) => scopes.includes(scopeOf(area, 'read'))
}
