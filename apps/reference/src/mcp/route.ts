import { protect } from '@grantkit/adapter-hono'
import { OpenAPIHono, prefetch } from '@grantkit/server/routes'
import type { SchoolGuard } from '../oauth/guard.ts'
import type { Guarded } from '../school/actions.ts'
import type { SchoolRecords } from '../school/records.ts'
import { mcpOperation } from './operation.ts'
import { nameOrigin, refuseRebinding } from './rebinding.ts'
import type { AnswerMcp } from './streamable-http.ts'

/**
 * The MCP endpoint: authenticates the caller before the message is read. There is no stream and no session, so GET and
 * DELETE are rejected, as the transport allows.
 */
export function mcp(baseUrl: string, guard: SchoolGuard, school: SchoolRecords): OpenAPIHono<Guarded> {
  const answerMcp = answeredByCatalogue(school)
  const app = new OpenAPIHono<Guarded>()
  app.use('/mcp', prefetch, refuseRebinding(baseUrl), nameOrigin(guard.corsHeaders?.exposed))
  // Not `app.openapi()`, which would validate the message: the transport does, in the errors of its protocol.
  app.openAPIRegistry.registerPath(mcpOperation)
  // Its tools show only the catalogue.
  app.post(mcpOperation.getRoutingPath(), protect(guard.allowing({ clientCredentials: true })), async (c) => {
    const response = await answerMcp(c.req.raw, c.var.body, c.var.auth)
    response.headers.set('cache-control', 'no-store')
    return response
  })
  app.options('/mcp', (c) => c.body(null, 204, preflight(guard)))
  return app
}

/** The SDK is loaded with the first message, which keeps the start fast. */
function answeredByCatalogue(school: SchoolRecords): AnswerMcp {
  let catalogue: Promise<AnswerMcp> | undefined
  return async (request, body, caller) => {
    catalogue ??= import('./streamable-http.ts').then(({ catalogueOverHttp }) => catalogueOverHttp(school))
    return (await catalogue)(request, body, caller)
  }
}

/**
 * The headers of the clients of both protocols. Without the headers of 2026-07-28 a browser falls back to the old
 * protocol.
 */
const CLIENT_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
]

function preflight({ corsHeaders }: SchoolGuard) {
  return {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': [...CLIENT_HEADERS, ...(corsHeaders?.allowed ?? [])].join(', '),
    'access-control-max-age': '86400',
  }
}
