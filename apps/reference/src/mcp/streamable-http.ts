import { parseJson } from '@grantkit/server/routes'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpServerFactory,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Caller } from '../oauth/guard.ts'
import type { SchoolRecords } from '../school/records.ts'
import { catalogueServer } from './catalogue-server.ts'
import { type IdleServers, idleServers } from './idle-servers.ts'

/** A batch is processed in one go, which blocks other requests. */
const MAX_MESSAGES = 10

/**
 * Handles one POST of an authenticated or anonymous caller.
 *
 * @param request its body has been read, and nothing depends on its URL: a request line may contain an absolute one
 * (RFC 9112 3.2.2). In protocol 2026-07-28 a client cancels a request by closing it, which aborts its signal.
 */
export type AnswerMcp = (request: Request, body: string, caller: Caller) => Promise<Response>

/**
 * The catalogue over Streamable HTTP, stateless: any replica answers any message. A request of protocol 2026-07-28 is
 * known by its `_meta`; every other one is served by the rules of 2025-11-25 and before.
 */
export function catalogueOverHttp(school: SchoolRecords): AnswerMcp {
  const create = () => catalogueServer(school)
  // A server that has spoken one protocol does not speak the other.
  const answerStateless = answeringStateless(idleServers(create))
  const answerWithInitialize = answeringWithInitialize(idleServers(create))
  return async (request, body, caller) => {
    const parsedBody = parseJson(body)
    if (Array.isArray(parsedBody) && parsedBody.length > MAX_MESSAGES) return batchTooLong()
    const initializes = parsedBody === undefined || (await isLegacyRequest(request, parsedBody))
    const answer = initializes ? answerWithInitialize : answerStateless
    return answer(request, { parsedBody, ...authInfoOf(caller) })
  }
}

type Answer = (request: Request, options: McpHandlerRequestOptions) => Promise<Response>

function answeringStateless(servers: IdleServers): Answer {
  const serverFor: McpServerFactory = ({ requestInfo }) => {
    const server = servers.take()
    server.server.onclose = () => {
      // A tool may still run for a client that has gone.
      if (requestInfo?.signal.aborted === false) servers.giveBack(server)
    }
    return server
  }
  // Nothing changes while a client listens, so subscriptions are not supported.
  return createMcpHandler(serverFor, { legacy: 'reject', maxSubscriptions: 0 }).fetch
}

/** As one JSON body, which the fallback of the SDK does not support. */
function answeringWithInitialize(servers: IdleServers): Answer {
  return async (request, options) => {
    const server = servers.take()
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    const response = await transport.handleRequest(acceptingBoth(request), options)
    await server.close()
    // `initialize` tells the server who the client is.
    if (server.server.getClientVersion() === undefined) servers.giveBack(server)
    return response
  }
}

/** The SDK requires both types by name. The wildcard includes them (RFC 9110 12.5.1), and curl sends it. */
function acceptingBoth(request: Request): Request {
  if (!request.headers.get('accept')?.includes('*/*')) return request
  const headers = new Headers([...request.headers])
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: 'POST', headers })
}

/** An error of JSON-RPC 2.0 (5.1) for the batch as a whole (6). */
function batchTooLong(): Response {
  const message = `Invalid Request: a batch has at most ${MAX_MESSAGES} messages`
  const error = { code: ProtocolErrorCode.InvalidRequest, message }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}

/** What the tools know of the caller: nothing of one without a token. None needs the token itself. */
function authInfoOf(caller: Caller): Pick<McpHandlerRequestOptions, 'authInfo'> {
  if (caller.kind !== 'authorized') return {}
  const { clientId, scopes } = caller.token
  return { authInfo: { token: '', clientId, scopes: [...scopes] } }
}
