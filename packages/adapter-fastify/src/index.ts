import {
  type Anonymous,
  type Authorized,
  BODY_LIMIT,
  errorResponse,
  type HttpRequest,
  type HttpResponse,
  OAuthError,
  REFUSALS,
  type ResourceServer,
  type Route,
} from '@grantkit/core'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

/** The `preHandler` that `protect()` makes, and how the handler behind it learns who asks. */
export interface Guard<Auth extends Authorized | Anonymous = Authorized> {
  (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>
  /** Who asks. @throws Error on a route that this guard does not stand before */
  auth(request: FastifyRequest): Auth
}

/**
 * A plugin that mounts every route of an authorization server, or of any list of core's routes. Parsers of the
 * application around it stay as they are: this plugin reads raw bodies in a scope of its own.
 */
export function authorizationServer(server: { readonly routes: readonly Route[] }): FastifyPluginAsync {
  return async (app) => {
    requireRoot(app.prefix)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      // The two that core reads are named, as Fastify finds those sooner.
      ['application/x-www-form-urlencoded', 'application/json', '*'],
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      (_, body, done) => done(null, body),
    )
    app.setErrorHandler<FastifyError>((error, _request, reply) => send(reply, unreadable(error)))
    for (const route of server.routes) {
      app.route({
        method: app.supportedMethods,
        // Fastify matches a path that it has decoded.
        url: decodeURI(route.path),
        exposeHeadRoute: false,
        handler: (request, reply) =>
          route.handle(toHttpRequest(request)).then((response) => send(reply, response)),
      })
    }
  }
}

function requireRoot(prefix: string): void {
  if (prefix === '') return
  throw new Error(
    `authorizationServer() is registered below ${prefix}, but its paths count from the root of the host: register it ` +
      'without a prefix and let the issuer name the path',
  )
}

/**
 * A `preHandler` that guards a route: no token or a bad one is refused with 401, one that lacks any of the scopes with
 * 403. The handler asks the guard who asks, `guard.auth(request)`; where the API allows it, that may be
 * `{ kind: 'anonymous' }`.
 */
export function protect<Scope extends string, Auth extends Authorized | Anonymous>(
  api: ResourceServer<Scope, Auth>,
  ...scopes: NoInfer<Scope>[]
): Guard<Auth> {
  // A key of this guard alone: another guard's verdict is not mistaken for it. Cheaper than a WeakMap.
  const verdict = Symbol('auth')
  return Object.assign(
    async (request: FastifyRequest, reply: FastifyReply) => {
      const access = await api.access(toHttpRequest(request), ...scopes)
      if (access.kind === 'refused') return send(reply, access.response)
      Object.assign(request, { [verdict]: access })
    },
    {
      auth(request: FastifyRequest): Auth {
        const auth = (request as { [verdict]?: Auth })[verdict]
        if (auth === undefined) throw new Error('This guard is not a preHandler of this route')
        return auth
      },
    },
  )
}

function toHttpRequest({ raw, body, ip }: FastifyRequest): HttpRequest {
  const url = raw.url ?? ''
  const mark = url.indexOf('?')
  const target = mark < 0 ? url : url.slice(0, mark)
  return {
    method: raw.method ?? '',
    // A request line may name a whole address (RFC 9112 3.2.2), and whoever sends it chooses its host.
    path: target.startsWith('/') ? target : target.replace(/^[^/]*\/\/[^/]*/, ''),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: raw.headers,
    body: typeof body === 'string' ? body : '',
    remoteAddress: ip,
  }
}

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  // Fastify adds a charset to JSON that nobody serializes, and a media type to no text at all.
  return reply
    .code(status)
    .headers(headers)
    .serializer(asItIs)
    .send(body === '' ? undefined : body)
}

const asItIs = (payload: unknown) => payload as string

/** What went wrong before core saw the request is the body's fault, or else ours. */
function unreadable(error: FastifyError): HttpResponse {
  if (error.statusCode === 413) return errorResponse(new OAuthError(REFUSALS.body_too_large))
  const fault = error.statusCode !== undefined && error.statusCode < 500
  return errorResponse(new OAuthError(fault ? REFUSALS.body_unreadable : REFUSALS.unexpected))
}
