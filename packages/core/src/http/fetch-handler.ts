import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import { BODY_LIMIT, failedResponse, MESSAGE_ERRORS } from './endpoint.ts'
import { type HttpRequest, type HttpResponse, type Route, routeFinder } from './http.ts'

export interface FetchHandlerOptions<Rest extends unknown[]> {
  /**
   * The IP address of the caller, from the request and the other arguments of the runtime. In Deno: `(_request, info)
   * => info.remoteAddr.hostname`. Without it all callers count as one for rate limits.
   */
  readonly remoteAddress?: ((request: Request, ...rest: Rest) => string | undefined) | undefined
}

/**
 * Serves routes on any server that speaks the Fetch standard: `Deno.serve`, `Bun.serve`, a Worker, or a framework that
 * exposes its `Request`. Any other path is a 404 without a body. Never rejects: a failure in a route becomes
 * `server_error`.
 *
 * @example
 * ```ts with:server
 * import { toFetchHandler } from '@grantkit/core/adapter'
 *
 * export default { fetch: toFetchHandler(server) }
 * ```
 */
export function toFetchHandler<Rest extends unknown[]>(
  server: { readonly routes: readonly Route[] },
  { remoteAddress = () => undefined }: FetchHandlerOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  const routeAt = routeFinder(server.routes)
  return async (request, ...rest) => {
    const route = routeAt(toHttpRequest(request).path)
    if (route === undefined) return new Response(null, { status: 404 })
    try {
      const caller = remoteAddress(request, ...rest)
      return toResponse(await route.handle(toHttpRequest(request, await readBody(request), caller)))
    } catch (thrown) {
      return toResponse(failedResponse(thrown))
    }
  }
}

const TARGET = /^[^:]+:\/\/[^/?#]*(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/

/**
 * Converts a Fetch request, without its body. Path and query are cut from the URL string and not parsed again, because
 * parsing changes them: `'` in a query becomes `%27`, dot segments vanish (URL Standard 4.4).
 *
 * @example
 * ```ts
 * import { toHttpRequest } from '@grantkit/core/adapter'
 *
 * const { path, query } = toHttpRequest(new Request('https://auth.example/oauth/authorize?client_id=1'))
 * // path: '/oauth/authorize', query: 'client_id=1'
 * ```
 */
export function toHttpRequest(request: Request, body = '', remoteAddress?: string): HttpRequest {
  const { method, url, headers } = request
  const { path = '', query = '' } = TARGET.exec(url)?.groups ?? {}
  return { method, path, query, headers: Object.fromEntries(headers), body, remoteAddress, native: request }
}

/** Converts core's response to a Fetch response. A header with several values becomes several lines. */
export function toResponse({ status, headers, body }: HttpResponse): Response {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  // Some servers read the lines of a Response late, where nothing catches a value that HTTP cannot carry.
  return new Response(body === '' ? null : body, { status, headers: new Headers(lines) })
}

/** They have no body (Fetch 5.3; RFC 9110 9.3.8), and asking for it is slow on some runtimes. */
const BODILESS = new Set(['GET', 'HEAD', 'TRACE'])

/**
 * The body as UTF-8 text, read no further than `BODY_LIMIT`.
 *
 * @param framed the server checks the body against its Content-Length, so the body can be read in one go. A `Request`
 *   made in this process may announce any length.
 * @throws OAuthError 413 for a longer one, 400 for one that breaks off, 500 if other code has read it
 */
export async function readBody(request: Request, framed = false): Promise<string> {
  if (BODILESS.has(request.method)) return ''
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > BODY_LIMIT) throw new OAuthError(MESSAGE_ERRORS.body_too_large)
  if (request.bodyUsed) throw alreadyRead()
  const text = await (framed && announced >= 0 ? wholeText(request) : streamedText(request))
  // If another parser has read the raw stream already, it just ends here without an error.
  if (text === '' && announced > 0) throw alreadyRead()
  return text
}

async function wholeText(request: Request): Promise<string> {
  try {
    return utf8().decode(await request.arrayBuffer())
  } catch (cause) {
    // A stream that breaks off during this read is locked too, but its error is that of the connection (Fetch 5.3).
    if (cause instanceof TypeError && streamOf(request)?.locked) throw alreadyRead()
    throw new OAuthError(MESSAGE_ERRORS.body_unreadable, undefined, { cause })
  }
}

async function streamedText(request: Request): Promise<string> {
  const stream = streamOf(request)
  if (stream === null) return ''
  if (stream.locked) throw alreadyRead()
  const decoder = utf8()
  let size = 0
  let text = ''
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > BODY_LIMIT) throw new OAuthError(MESSAGE_ERRORS.body_too_large)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (cause) {
    if (cause instanceof OAuthError) throw cause
    throw new OAuthError(MESSAGE_ERRORS.body_unreadable, undefined, { cause })
  }
  return text + decoder.decode()
}

/** On Node, Hono creates the request on first access, and throws if the Host is invalid. */
function streamOf(request: Request): Request['body'] {
  try {
    return request.body
  } catch (cause) {
    throw new OAuthError(MESSAGE_ERRORS.body_unreadable, undefined, { cause })
  }
}

/** Keeps a byte order mark, as every other framework does; JSON does not begin with one (RFC 8259 8.1). */
const utf8 = () => new TextDecoder('utf-8', { ignoreBOM: true })

function alreadyRead(): OAuthError {
  const detail = 'The application read the body before the authorization server could'
  return new OAuthError(SERVER_ERRORS.unexpected, detail)
}
