import type { Authorized, Caller, HttpResponse, ResourceServer } from '@grantkit/core'
import { errorResponse, failedResponse, OAuthError, type Route } from '@grantkit/core/adapter'
import { type NextFunction, type RequestHandler, type Response, Router } from 'express'
import { readBody } from './body.ts'
import { type Incoming, send, toHttpRequest } from './http.ts'

export { expressRequest } from './http.ts'

/**
 * The middleware that `protect()` returns. It puts the caller into `res.locals.auth`, typed only on the routes behind
 * it.
 */
export type Guard<Auth extends Caller = Authorized> = (
  req: Incoming,
  res: Response<unknown, { auth: Auth }>,
  next: NextFunction,
) => Promise<void>

/**
 * A router that mounts every route of an authorization server, or of any list of core's routes, from the root of the
 * host. Mount it before body parsers. Behind them it uses the parsed body, or throws.
 *
 * @example
 * ```ts with:express
 * import { authorizationServer } from '@grantkit/adapter-express'
 *
 * app.use(authorizationServer(server))
 * ```
 */
export function authorizationServer(server: { readonly routes: readonly Route[] }): Router {
  const router = Router()
  router.use(requireRoot)
  for (const route of server.routes) {
    router.all(pattern(route), async (req, res, next) => {
      const found = route.find ? await route.find(toHttpRequest(req, '')) : route
      if (found === undefined) return next()
      const body = await readBody(req)
      if (body instanceof OAuthError) return send(res, refused(body))
      try {
        send(res, await found.handle(toHttpRequest(req, body)))
      } catch (thrown) {
        // The route fails, or HTTP cannot carry a header of it. The error page of Express would show the stack.
        send(res, failedResponse(thrown))
      }
    })
  }
  return router
}

/**
 * A middleware that guards a route: no token or a bad one is refused with 401, a missing scope with 403. The handler
 * finds the caller in `res.locals.auth`; if the API allows it, that may be `{ kind: 'anonymous' }`.
 *
 * @example
 * ```ts with:express
 * import { protect } from '@grantkit/adapter-express'
 *
 * app.get('/notes', protect(api, 'notes:read'), (_req, res) => {
 *   res.json(notesOf(res.locals.auth.token.subject))
 * })
 * ```
 */
export function protect<Scope extends string, Auth extends Caller>(
  api: ResourceServer<Scope, Auth>,
  ...scopes: NoInfer<Scope>[]
): Guard<Auth> {
  return async (req, res, next) => {
    const access = await api.access(toHttpRequest(req, ''), ...scopes)
    if (access.kind === 'refused') return send(res, access.response)
    res.locals.auth = access
    if (access.kind === 'authorized') res.set(access.headers ?? {})
    next()
  }
}

const requireRoot: RequestHandler = ({ baseUrl }, _res, next) => {
  if (baseUrl === '') return next()
  throw new Error(
    `authorizationServer() is mounted below ${baseUrl}, but its paths count from the root of the host: ` +
      'mount it by app.use(authorizationServer(server)) and let the issuer name the path',
  )
}

/** A path of Express would ignore case. */
function pattern({ path, below }: Route): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}${below ? '/' : '$'}`)
}

/** Closes the connection, because the rest of the body may still be on its way. */
function refused(error: OAuthError): HttpResponse {
  const response = errorResponse(error)
  return { ...response, headers: { ...response.headers, connection: 'close' } }
}
