import type { OnEvent } from './events.ts'
import { type HttpRequest, type HttpResponse, header, json, type Route } from './http.ts'
import { OAuthError } from './oauth-error.ts'

/** The largest body that is read, in bytes; adapters stop reading there. */
export const BODY_LIMIT = 64 * 1024

export interface Endpoint {
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /** Open to scripts of every origin, without credentials (Fetch 3.2). Never for pages. */
  readonly cors: boolean
  answer(request: HttpRequest): Promise<HttpResponse> | HttpResponse
  /** Counts a failure, and answers what to refuse with: the same, or that there were too many. */
  counted?(thrown: unknown, request: HttpRequest): Promise<unknown>
  /** How a refusal looks; a JSON body (RFC 6749 5.2) unless the endpoint is a page. */
  refusal?(error: OAuthError): HttpResponse | Promise<HttpResponse>
}

/** Makes a route that answers every method, and rejects only where the application's own error page does. */
export function route(endpoint: Endpoint, onEvent: OnEvent): Route {
  const { path, methods } = endpoint
  return {
    path,
    methods,
    async handle(request) {
      let response: HttpResponse
      try {
        response = await answerTo(endpoint, request)
      } catch (thrown) {
        const cause = endpoint.counted ? await endpoint.counted(thrown, request) : thrown
        const error = reportedError(cause, request, onEvent)
        response = await (endpoint.refusal?.(error) ?? errorResponse(error, request))
      }
      return endpoint.cors ? withCors(response) : response
    },
  }
}

function answerTo(endpoint: Endpoint, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const { method, body } = request
  if (method === 'OPTIONS' && endpoint.cors) return preflight(endpoint)
  if (method === 'HEAD' && readable(endpoint)) return withoutBody(endpoint.answer(request))
  if (!endpoint.methods.some((allowed) => allowed === method)) return methodNotAllowed(endpoint)
  if (Buffer.byteLength(body) > BODY_LIMIT) throw new OAuthError('body_too_large')
  return endpoint.answer(request)
}

async function withoutBody(answer: HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
  return { ...(await answer), body: '' }
}

/** The answer of RFC 6749 5.2 for a refusal. */
export function errorResponse(error: OAuthError, request?: HttpRequest): HttpResponse {
  return json(error.status, error, {
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
    ...(error.error === 'invalid_client' && request ? clientChallenge(request) : {}),
  })
}

/** A client that tried the Authorization header is told a scheme (RFC 6749 5.2), though only the body is read here. */
function clientChallenge(request: HttpRequest): Record<string, string> {
  const scheme = /^[A-Za-z]{1,20}(?= |$)/.exec(header(request, 'authorization') ?? '')?.[0]
  return scheme === undefined ? {} : { 'www-authenticate': `${scheme} realm="oauth"` }
}

/**
 * The refusal behind whatever was thrown, told to the operator. What core did not throw itself came from the
 * application: the wire learns no more than `server_error`.
 */
export function reportedError(thrown: unknown, { path }: HttpRequest, onEvent: OnEvent): OAuthError {
  const error =
    thrown instanceof OAuthError ? thrown : new OAuthError('unexpected', undefined, { cause: thrown })
  const { reason, message: detail, cause } = error
  if (error.status >= 500) onEvent({ type: 'failed', path, error: error.error, reason, cause })
  else onEvent({ type: 'refused', path, error: error.error, reason, detail })
  return error
}

function readable(endpoint: Endpoint): boolean {
  return endpoint.cors && endpoint.methods.includes('GET')
}

function methodNotAllowed(endpoint: Endpoint): HttpResponse {
  const allow = [
    ...endpoint.methods,
    ...(readable(endpoint) ? ['HEAD'] : []),
    ...(endpoint.cors ? ['OPTIONS'] : []),
  ]
  return json(405, new OAuthError('method_not_allowed'), { allow: allow.join(', ') })
}

function preflight(endpoint: Endpoint): HttpResponse {
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': endpoint.methods.join(', '),
      'access-control-allow-headers': 'authorization, content-type, if-none-match, mcp-protocol-version',
      'access-control-max-age': '86400',
    },
    body: '',
  }
}

/** `*` and no credentials: there is no cookie to steal, and every browser app may be a client. */
function withCors({ status, headers, body }: HttpResponse): HttpResponse {
  return {
    status,
    headers: {
      ...headers,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag',
    },
    body,
  }
}
