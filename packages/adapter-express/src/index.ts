import {
  type Access,
  errorResponse,
  type HttpRequest,
  type HttpResponse,
  OAuthError,
  type ResourceServer,
  type Route,
} from '@grantkit/core'
import { type NextFunction, type Request, type RequestHandler, Router } from 'express'
import { readBody } from './body.ts'
import { type Incoming, type Outgoing, send, toHttpRequest } from './http.ts'

/** What `protect()` lets through: an authorized request with its token, or an anonymous one. */
export type Auth = Exclude<Access, { kind: 'refused' }>

declare global {
  namespace Express {
    interface Request {
      /** Set by `protect()`. */
      auth: Auth
    }
  }
}

/** The middleware that `protect()` makes. */
export type Guard = (
  req: Incoming & Pick<Request, 'auth'>,
  res: Outgoing,
  next: NextFunction,
) => Promise<void>

/**
 * A router that mounts every route of an authorization server, or of any list of core's routes, from the root of
 * the host. It belongs before the parsers of bodies; behind them it makes do with what they left, or throws.
 */
export function authorizationServer(server: { readonly routes: readonly Route[] }): Router {
  const router = Router()
  router.use(requireRoot)
  for (const route of server.routes) {
    router.all(pattern(route.path), async (req, res) => {
      const body = await readBody(req)
      send(res, body instanceof OAuthError ? refused(body) : await answer(route, toHttpRequest(req, body)))
    })
  }
  return router
}

/**
 * A middleware that guards a route: a bad token is refused with 401, one that lacks any of the scopes with 403.
 * The handler finds who asks in `req.auth`; without a token that is `{ kind: 'anonymous' }`.
 */
export function protect<Scope extends string>(
  api: ResourceServer<Scope>,
  ...scopes: NoInfer<Scope>[]
): Guard {
  return async (req, res, next) => {
    const access = await api.access(toHttpRequest(req, ''), ...scopes)
    if (access.kind === 'refused') return send(res, access.response)
    req.auth = access
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

/** Express's own patterns would ignore case and decode what `:name` matches. */
function pattern(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll(/:\w+/g, '[^/]+')}$`)
}

async function answer(route: Route, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await route.handle(request)
  } catch {
    return errorResponse(new OAuthError('unexpected'))
  }
}

/** Hangs up afterwards, since the rest of the body may still be on its way. */
function refused(error: OAuthError): HttpResponse {
  const response = errorResponse(error)
  return { ...response, headers: { ...response.headers, connection: 'close' } }
}
