import type { HttpRequest } from './http.ts'

/** The members of Node's `IncomingMessage` that are read here. */
interface NodeHeaders {
  readonly headers: HttpRequest['headers']
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/**
 * The headers of a request to Node, with every `Authorization` line. Node itself keeps the first of several, and then
 * nobody could refuse the request.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { nodeHeaders } from '@grantkit/core/adapter'
 *
 * createServer((request) => console.log(nodeHeaders(request).authorization))
 * ```
 */
export function nodeHeaders({ headers, rawHeaders }: NodeHeaders): HttpRequest['headers'] {
  if (headers.authorization === undefined) return headers
  const authorization = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  )
  return authorization.length > 1 ? { ...headers, authorization } : headers
}
