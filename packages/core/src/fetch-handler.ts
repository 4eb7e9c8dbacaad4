import type { HttpRequest, HttpResponse, Route } from './http.ts'
import { OAuthError } from './oauth-error.ts'
import { BODY_LIMIT, errorResponse } from './route.ts'

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
      return toResponse(errorResponse(thrown instanceof OAuthError ? thrown : new OAuthError('unexpected')))
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
 * @throws OAuthError 413 for a longer one, 400 for one that breaks off, 500 where somebody else has read it
 */
export async function readBody(request: Request): Promise<string> {
  if (isTaken(request)) throw alreadyRead()
  if (request.body === null) return ''
  const { size, text } = await readStream(request.body)
  // A stream that was emptied below the Fetch standard, by another parser, ends at once and says nothing.
  if (size === 0 && Number(request.headers.get('content-length') ?? 0) > 0) throw alreadyRead()
  return text
}

/** Hono makes the request on Node when it is first looked at, and cannot of a Host that is none. */
function isTaken(request: Request): boolean {
  try {
    return request.bodyUsed || request.body?.locked === true
  } catch (cause) {
    throw new OAuthError('body_unreadable', undefined, { cause })
  }
}

async function readStream(stream: ReadableStream<Uint8Array>): Promise<{ size: number; text: string }> {
  // A byte order mark is part of the text, as it is in every other framework; JSON does not begin with one (RFC 8259 8.1).
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let size = 0
  let text = ''
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > BODY_LIMIT) throw new OAuthError('body_too_large')
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (cause) {
    throw cause instanceof OAuthError ? cause : new OAuthError('body_unreadable', undefined, { cause })
  }
  return { size, text: text + decoder.decode() }
}

function alreadyRead(): OAuthError {
  return new OAuthError('unexpected', 'The application read the body before the authorization server could')
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
