import { METHODS } from 'node:http'
import { authorizationServer } from '@grantkit/adapter-fastify'
import { type FastifyReply, fastify } from 'fastify'
import { rememberCallers } from './callers.ts'
import { draining } from './draining.ts'
import { type Listen, NOT_FOUND } from './listening.ts'
import { arrivalTimes } from './slow-requests.ts'
import { standingHeaders } from './standing-headers.ts'
import { refuseUnreadable } from './unreadable.ts'

export const listenOnFastify: Listen = async (routes, { host, port, https, requestTimeout }) => {
  const times = arrivalTimes(requestTimeout)
  const app = fastify({
    http: times,
    // Fastify's own default would take the place of the one above.
    requestTimeout: times.requestTimeout,
    clientErrorHandler: refuseUnreadable,
    // A path that cannot be decoded is not found either.
    frameworkErrors: (_error, _request, reply) => notFound(reply as unknown as FastifyReply),
  })
  const drain = draining(app.server)
  rememberCallers(app.server)
  standingHeaders(app.server, https)
  // Fastify answers unknown methods itself, and then a route could not list its methods.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  // With a body, Fastify would refuse QUERY for want of a media type before a route sees it.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  app.setNotFoundHandler((_request, reply) => notFound(reply))
  // Routes have their own error handler: an error here is a body sent to no route.
  app.setErrorHandler((_error, _request, reply) => notFound(reply))
  await app.register(authorizationServer({ routes }))
  await app.listen({ host, port })
  return {
    async close() {
      await drain()
      await app.close()
    },
  }
}

function notFound(reply: FastifyReply): FastifyReply {
  return reply.code(NOT_FOUND.status).headers(NOT_FOUND.headers).send(Buffer.from(NOT_FOUND.body))
}
