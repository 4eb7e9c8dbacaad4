import type { Authorized, Caller, HttpRequest, HttpResponse, ResourceServer } from '@grantkit/core'
import {
  BODY_LIMIT,
  errorResponse,
  failedResponse,
  MESSAGE_ERRORS,
  nativeRequest,
  nodeHeaders,
  OAuthError,
  type Route,
} from '@grantkit/core/adapter'
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'

/** The `preHandler` that `protect()` returns. The handler behind it asks it for the caller. */
export interface Guard<Auth extends Caller = Authorized> {
  (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>
  /** The caller. @throws Error on a route without this guard */
  auth(request: FastifyRequest): Auth
}

/**
 * A plugin that mounts every route of an authorization server, or of any list of core's routes. The application's
 * parsers are not affected: this plugin reads raw bodies in its own scope. Errors of the application's hooks go to the
 * error handler that the application has set before it registers this plugin.
 *
 * @example
 * ```ts with:fastify
 * import { authorizationServer } from '@grantkit/adapter-fastify'
 *
 * await app.register(authorizationServer(server))
 * ```
 */
export function authorizationServer(server: { readonly routes: readonly Route[] }): FastifyPluginAsync {
  return async (app) => {
    requireRoot(app.prefix)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      // The two types that core reads are named, because Fastify finds those faster.
      ['application/x-www-form-urlencoded', 'application/json', '*'],
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      (_, body, done) => done(null, body),
    )
    app.setErrorHandler<FastifyError>((error, request, reply) => send(reply, unreadable(error, request)))
    for (const route of server.routes) {
      app.route({
        method: app.supportedMethods,
        url: pattern(route.path) + (route.below ? '/*' : ''),
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          try {
            const asked = toHttpRequest(request)
            const found = route.find ? await route.find(asked) : route
            if (found !== undefined) return send(reply, await found.handle(asked))
            reply.callNotFound()
            return reply
          } catch (thrown) {
            // The route fails, or HTTP cannot carry a header of it.
            return send(reply, failedResponse(thrown))
          }
        },
      })
    }
  }
}

/** Fastify matches decoded paths. A colon is doubled there, and an asterisk has to stand in a regular expression. */
function pattern(path: string): string {
  const literal = (segment: string, index: number) =>
    segment.includes('*')
      ? `:s${index}(^${segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$)`
      : segment.replaceAll(':', '::')
  return decodeURI(path).split('/').map(literal).join('/')
}

function requireRoot(prefix: string): void {
  if (prefix === '') return
  throw new Error(
    `authorizationServer() is registered below ${prefix}, but its paths count from the root of the host: register it ` +
      'without a prefix and let the issuer name the path',
  )
}

/**
 * A `preHandler` that guards a route: no token or a bad one is refused with 401, a missing scope with 403. The handler
 * gets the caller by `guard.auth(request)`; if the API allows it, that may be `{ kind: 'anonymous' }`.
 *
 * @example
 * ```ts with:fastify
 * import { protect } from '@grantkit/adapter-fastify'
 *
 * const guard = protect(api, 'notes:read')
 * app.get('/notes', { preHandler: guard }, async (request) => notesOf(guard.auth(request).token.subject))
 * ```
 */
export function protect<Scope extends string, Auth extends Caller>(
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
      if (access.kind === 'authorized') reply.headers(access.headers ?? {})
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

/**
 * The request of Fastify, for the callbacks of your interaction: `session: async (request) => …
 * fastifyRequest(request).session`.
 *
 * @throws Error for a request that came another way
 *
 * @example
 * ```ts with:fastify
 * import { fastifyRequest } from '@grantkit/adapter-fastify'
 * import type { HttpRequest } from '@grantkit/core'
 *
 * export const cookiesOf = (request: HttpRequest) => fastifyRequest(request).headers.cookie
 * ```
 */
export function fastifyRequest(request: HttpRequest): FastifyRequest {
  return nativeRequest(request) as FastifyRequest
}

function toHttpRequest(request: FastifyRequest): HttpRequest {
  const { raw, body, ip } = request
  const url = raw.url ?? ''
  const mark = url.indexOf('?')
  const target = mark < 0 ? url : url.slice(0, mark)
  return {
    method: raw.method ?? '',
    // A request line may hold an absolute URL (RFC 9112 3.2.2), whose host the sender chooses.
    path: target.startsWith('/') ? target : target.replace(/^[^/]*\/\/[^/]*/, ''),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: nodeHeaders(raw),
    body: typeof body === 'string' ? body : '',
    remoteAddress: ip,
    native: request,
  }
}

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  // Fastify adds a charset to JSON that it did not serialize, and a media type to an empty answer.
  return reply
    .code(status)
    .headers(headers)
    .serializer(asItIs)
    .send(body === '' ? undefined : body)
}

/** It stays with the reply, so it also serializes what the application sends for an error of its `onSend` hook. */
const asItIs = (payload: unknown) => (typeof payload === 'string' ? payload : JSON.stringify(payload))

/** @throws what is no fault of the body: the application answers the errors of its own hooks */
function unreadable(error: FastifyError, { raw }: FastifyRequest): HttpResponse {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return errorResponse(new OAuthError(MESSAGE_ERRORS.body_too_large))
  if (!error.code?.startsWith('FST_ERR_CTP_') && error !== raw.errored) throw error
  return errorResponse(new OAuthError(MESSAGE_ERRORS.body_unreadable))
}
