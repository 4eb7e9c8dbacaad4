import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { unreadable } from './unreadable.ts'

/**
 * A Hono application as a listener of Node's server.
 *
 * @param hostname of a request without a Host, as health checks send it in HTTP/1.0
 */
export function nodeListener(app: Pick<Hono, 'fetch'>, hostname: string) {
  return getRequestListener(app.fetch, {
    hostname,
    errorHandler: (error) =>
      error instanceof RequestError ? unreadable() : new Response(null, { status: 500 }),
  })
}
