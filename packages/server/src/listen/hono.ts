import { once } from 'node:events'
import { createServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-hono'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { rememberCallers } from './callers.ts'
import { draining } from './draining.ts'
import type { Listen } from './listening.ts'
import { nodeListener } from './node-listener.ts'
import { arrivalTimes, spareDescriptors } from './slow-requests.ts'
import { setOnEach, standingHeaders } from './standing-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export const listenOnHono: Listen = async (service, { host, port, hsts, requestTimeout }) => {
  const app = new Hono()
    .route('/', authorizationServer(service, { remoteAddress: (c) => getConnInfo(c).remote.address }))
    .notFound((c) => service.app.fetch(c.req.raw, c.env))
  const server = createServer(arrivalTimes(requestTimeout), nodeListener(app, host))
  const listening = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  spareDescriptors(server)
  setOnEach(server, standingHeaders(hsts))
  await once(server.listen(port, host), 'listening')
  return listening
}
