import { OAuthError, SERVER_REFUSALS } from '../kernel/oauth-error.ts'
import { BODY_LIMIT } from './endpoint.ts'
import { errorResponse } from './error-response.ts'
import type { HttpRequest, HttpResponse, Route } from './http.ts'
import { BODY_REFUSALS } from './parameters.ts'

export interface FetchHandlerOptions<Rest extends unknown[]> {
  /**
   * The IP address of the caller, from the request and what else the runtime hands over: in Deno
   * `(_request, info) => info.remoteAddr.hostname`. Without it nobody is counted, and rate limits do nothing.
   */
  readonly remoteAddress?: (request: Request, ...rest: Rest) => string | undefined
}

/**
 * Serves routes wherever a server speaks the Fetch standard: `Deno.serve`, `Bun.serve`, a Worker, a framework that
 * hands out its `Request`. Any other path is a 404 without a body. Never rejects: what goes wrong in a route is
 * answered with `server_error`.
 */
export function toFetchHandler<Rest extends unknown[]>(
  server: { readonly routes: readonly Route[] },
  { remoteAddress = () => undefined }: FetchHandlerOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const { path } = toHttpRequest(request)
    const route = server.routes.find((candidate) => matches(candidate.path, path))
    if (route === undefined) return new Response(null, { status: 404 })
    try {
      const caller = remoteAddress(request, ...rest)
      return toResponse(await route.handle(toHttpRequest(request, await readBody(request), caller)))
    } catch (thrown) {
      return toResponse(
        errorResponse(thrown instanceof OAuthError ? thrown : new OAuthError(SERVER_REFUSALS.unexpected)),
      )
    }
  }
}

const TARGET = /^[^:]+:\/\/[^/?#]*(?<path>[^?#]*)(?:\?(?<query>[^#]*))?/

/**
 * What core reads of a Fetch request; the body stays where it is. Path and query are cut from the address and not
 * parsed again, for each parsing changes them: `'` in a query becomes `%27`, dot segments vanish (URL Standard 4.4).
 */
export function toHttpRequest(
  { method, url, headers }: Request,
  body = '',
  remoteAddress?: string,
): HttpRequest {
  const { path = '', query = '' } = TARGET.exec(url)?.groups ?? {}
  return { method, path, query, headers: Object.fromEntries(headers), body, remoteAddress }
}

/** The Fetch response of core's; several values of a header become several lines. */
export function toResponse({ status, headers, body }: HttpResponse): Response {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  return new Response(body === '' ? null : body, { status, headers: lines })
}

/**
 * The body as UTF-8 text, read no further than `BODY_LIMIT`.
 *
 * @param framed the request came by a server that holds a body to its Content-Length, so one that announces a length
 *   can be read in one go; whoever makes a `Request` in the process may announce what they like
 * @throws OAuthError 413 for a longer one, 400 for one that breaks off, 500 where somebody else has read it
 */
export async function readBody(request: Request, framed = false): Promise<string> {
  // With these methods a Fetch request has no body (Fetch 5.3), and on some runtimes it is dear to ask for it.
  if (request.method === 'GET' || request.method === 'HEAD') return ''
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > BODY_LIMIT) throw new OAuthError(BODY_REFUSALS.body_too_large)
  if (request.bodyUsed) throw alreadyRead()
  const text = await (framed && announced >= 0 ? wholeText(request) : streamedText(request))
  // A stream that was emptied below the Fetch standard, by another parser, ends at once and says nothing.
  if (text === '' && announced > 0) throw alreadyRead()
  return text
}

async function wholeText(request: Request): Promise<string> {
  try {
    return utf8().decode(await request.arrayBuffer())
  } catch (cause) {
    if (streamOf(request)?.locked) throw alreadyRead()
    throw new OAuthError(BODY_REFUSALS.body_unreadable, undefined, { cause })
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
      if (size > BODY_LIMIT) throw new OAuthError(BODY_REFUSALS.body_too_large)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (cause) {
    throw cause instanceof OAuthError
      ? cause
      : new OAuthError(BODY_REFUSALS.body_unreadable, undefined, { cause })
  }
  return text + decoder.decode()
}

/** Hono makes the request on Node when it is first looked at, and cannot of a Host that is none. */
function streamOf(request: Request): Request['body'] {
  try {
    return request.body
  } catch (cause) {
    throw new OAuthError(BODY_REFUSALS.body_unreadable, undefined, { cause })
  }
}

/** A byte order mark is part of the text, as it is in every other framework; JSON does not begin with one (RFC 8259 8.1). */
const utf8 = () => new TextDecoder('utf-8', { ignoreBOM: true })

function alreadyRead(): OAuthError {
  return new OAuthError(
    SERVER_REFUSALS.unexpected,
    'The application read the body before the authorization server could',
  )
}

/** `:name` stands for one segment that is not empty; percent-encoding is compared as it stands. */
function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      segment.startsWith(':') ? given[index] !== '' : segment === given[index],
    )
  )
}
