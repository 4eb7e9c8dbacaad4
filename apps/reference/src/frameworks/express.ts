import { once } from 'node:events'
import { createServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-express'
import type { Listen } from '@grantkit/server/listen'
import {
  arrivalTimes,
  draining,
  nodeListener,
  refuseUnreadable,
  rememberCallers,
  setOnEach,
  spareDescriptors,
  standingHeaders,
} from '@grantkit/server/listen'
import express from 'express'

export const listenOnExpress: Listen = async (service, { host, port, hsts, requestTimeout }) => {
  const app = express()
    .disable('x-powered-by')
    .use(authorizationServer(service))
    .use(nodeListener(service.app, host))
  const server = createServer(arrivalTimes(requestTimeout), app)
  const listening = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  spareDescriptors(server)
  setOnEach(server, standingHeaders(hsts))
  await once(server.listen(port, host), 'listening')
  return listening
}
