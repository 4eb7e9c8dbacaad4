import { once } from 'node:events'
import { createServer } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-express'
import express from 'express'
import { rememberCallers } from './callers.ts'
import { draining } from './draining.ts'
import { type Listen, NOT_FOUND } from './listening.ts'
import { arrivalTimes } from './slow-requests.ts'
import { standingHeaders } from './standing-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export const listenOnExpress: Listen = async (routes, { host, port, https, requestTimeout }) => {
  const app = express()
    .disable('x-powered-by')
    .use(authorizationServer({ routes }))
    .use(
      (_request, response) =>
        void response.writeHead(NOT_FOUND.status, NOT_FOUND.headers).end(NOT_FOUND.body),
    )
  const server = createServer(arrivalTimes(requestTimeout), app)
  const close = draining(server.on('clientError', refuseUnreadable))
  rememberCallers(server)
  standingHeaders(server, https)
  await once(server.listen(port, host), 'listening')
  return { close }
}
