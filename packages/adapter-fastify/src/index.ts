import {
  type Access,
  BODY_LIMIT,
  errorResponse,
  type HttpRequest,
  type HttpResponse,
  OAuthError,
  type ResourceServer,
  type Route,
} from '@grantkit/core'
import type {
  FastifyError,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  preHandlerAsyncHookHandler,
} from 'fastify'

/** What `protect()` lets through: an authorized request with its token, or an anonymous one. */
export type Auth = Exclude<Access, { kind: 'refused' }>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `protect()`. */
    auth: Auth
  }
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
 * A `preHandler` that guards a route: a bad token is refused with 401, one that lacks any of the scopes with 403.
 * The handler finds who asks in `request.auth`; without a token that is `{ kind: 'anonymous' }`.
 */
export function protect<Scope extends string>(
  api: ResourceServer<Scope>,
  ...scopes: NoInfer<Scope>[]
): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    const access = await api.access(toHttpRequest(request), ...scopes)
    if (access.kind === 'refused') return send(reply, access.response)
    request.auth = access
  }
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
  if (error.statusCode === 413) return errorResponse(new OAuthError('body_too_large'))
  const fault = error.statusCode !== undefined && error.statusCode < 500
  return errorResponse(new OAuthError(fault ? 'body_unreadable' : 'unexpected'))
}
