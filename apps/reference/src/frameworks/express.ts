import { once } from 'node:events'
import { createServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-express'
import express from 'express'
import { rememberCallers } from './callers.ts'
import { draining } from './draining.ts'
import type { Listen } from './listening.ts'
import { nodeListener } from './node-listener.ts'
import { arrivalTimes } from './slow-requests.ts'
import { setOnEach, standingHeaders } from './standing-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export const listenOnExpress: Listen = async (service, { host, port, https, requestTimeout }) => {
  const app = express()
    .disable('x-powered-by')
    .use(authorizationServer(service))
    .use(nodeListener(service.app, host))
  const server = createServer(arrivalTimes(requestTimeout), app)
  const listening = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  setOnEach(server, standingHeaders(https))
  await once(server.listen(port, host), 'listening')
  return listening
}
