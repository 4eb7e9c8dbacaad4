import type { HttpRequest, HttpResponse } from '@grantkit/core'
import { nativeRequest, nodeHeaders } from '@grantkit/core/adapter'
import type { Request, Response } from 'express'

/**
 * The members of a request that the adapter reads. It avoids Express's generics, so a handler behind a guard keeps its
 * typed `params`.
 */
export type Incoming = Pick<Request, 'method' | 'baseUrl' | 'path' | 'url' | 'headers' | 'rawHeaders' | 'ip'>
export type Outgoing = Pick<Response, 'statusCode' | 'removeHeader' | 'setHeader' | 'append' | 'end'>

export function toHttpRequest(req: Incoming, body: string): HttpRequest {
  const { method, baseUrl, path, url, ip } = req
  const [, ...query] = url.split('?')
  const headers = nodeHeaders(req)
  return {
    method,
    path: baseUrl + path,
    query: query.join('?'),
    headers,
    body,
    remoteAddress: ip,
    native: req,
  }
}

/**
 * The request of Express, for the callbacks of your interaction: `session: async (request) => …
 * expressRequest(request).user`.
 *
 * @throws Error for a request that came another way
 *
 * @example
 * ```ts with:express
 * import { expressRequest } from '@grantkit/adapter-express'
 * import type { HttpRequest } from '@grantkit/core'
 *
 * export const userOfRequest = (request: HttpRequest) => userOf(expressRequest(request))
 * ```
 */
export function expressRequest(request: HttpRequest): Request {
  return nativeRequest(request) as Request
}

/** Sends with Node's own methods: the methods of Express would add a charset and an ETag. */
export function send(res: Outgoing, { status, headers, body }: HttpResponse): void {
  res.statusCode = status
  res.removeHeader('X-Powered-By')
  for (const [name, value] of Object.entries(headers)) {
    // Keeps cookies that the application has set.
    if (name.toLowerCase() === 'set-cookie') res.append(name, [value].flat())
    else res.setHeader(name, value)
  }
  res.end(body)
}
