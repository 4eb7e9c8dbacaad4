import { once } from 'node:events'
import { createServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-hono'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import {
  arrivalTimes,
  draining,
  type Listen,
  nodeListener,
  refuseUnreadable,
  rememberCallers,
  setOnEach,
  spareDescriptors,
  standingHeaders,
} from './listening.ts'

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
