import { isLoopbackUrl } from '@grantkit/core/feature'
import { jsonError } from '@grantkit/server/routes'
import type { MiddlewareHandler } from 'hono'

/**
 * Rejects pages of other sites that reach this server through the user's browser under their own host name (DNS
 * rebinding). The Host must be the service's, and an Origin must be the service's or a loopback address.
 */
export function refuseRebinding(baseUrl: string): MiddlewareHandler {
  const { host, origin: own } = new URL(baseUrl)
  return async (c, next) => {
    const refused = (header: string) =>
      jsonError(c, 403, 'access_denied', `The ${header} header is not one that this server answers to`)
    if (c.req.header('host')?.toLowerCase() !== host) return refused('Host')
    const origin = c.req.header('origin') ?? ''
    return origin === '' || origin === own || isLoopbackUrl(origin) ? next() : refused('Origin')
  }
}

/**
 * Lets an app in a browser read the response: names the origin of the app, never `*`, and nothing for other origins.
 */
export function nameOrigin(exposed: readonly string[] = []): MiddlewareHandler {
  const readable = ['WWW-Authenticate', ...exposed].join(', ')
  return async (c, next) => {
    const origin = c.req.header('origin') ?? ''
    await next()
    if (origin === '') return
    c.header('access-control-allow-origin', origin)
    c.header('access-control-expose-headers', readable)
    c.header('vary', 'Origin')
  }
}
