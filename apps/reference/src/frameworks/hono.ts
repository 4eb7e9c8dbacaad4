import { once } from 'node:events'
import type { Server } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-hono'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { rememberCallers } from './callers.ts'
import { draining } from './draining.ts'
import type { Listen } from './listening.ts'
import { arrivalTimes } from './slow-requests.ts'
import { standingHeaders } from './standing-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export const listenOnHono: Listen = async (service, { host, port, https, requestTimeout }) => {
  const app = new Hono()
    .route('/', authorizationServer(service, { remoteAddress: (c) => getConnInfo(c).remote.address }))
    .all('*', (c) => service.app.fetch(c.req.raw, c.env))
  const server = createAdaptorServer({
    fetch: app.fetch,
    // For a request without a Host, as health checks send it in HTTP/1.0.
    hostname: host,
    serverOptions: arrivalTimes(requestTimeout),
  }) as Server
  const close = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  standingHeaders(server, https)
  await once(server.listen(port, host), 'listening')
  return { close }
}
