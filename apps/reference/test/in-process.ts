import { toFetchHandler } from '@grantkit/core/adapter'
import type { Service } from '@grantkit/server'

/** The address of every caller. */
const remoteAddress = '203.0.113.7'
/** Where the Node server of Hono puts it. */
const env = { incoming: { socket: { remoteAddress } } }

/** The whole service without a framework and without a port. */
export function inProcess({ routes, app }: Pick<Service, 'routes' | 'app'>) {
  const paths = new Set(routes.map(({ path }) => path))
  const oauth = toFetchHandler({ routes }, { remoteAddress: () => remoteAddress })
  return async (request: Request): Promise<Response> =>
    paths.has(new URL(request.url).pathname) ? oauth(request) : app.fetch(request, env)
}
