import {
  type Access,
  errorResponse,
  type HttpRequest,
  type HttpResponse,
  OAuthError,
  type ResourceServer,
  type Route,
} from '@grantkit/core'
import { type NextFunction, type Request, type Response, Router } from 'express'
import { readBody } from './body.ts'

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

/**
 * A router that mounts every route of an authorization server, or of any list of core's routes, from the root of
 * the host. Mount it before the parsers of bodies; behind them it makes do with what they left, or throws.
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

/** What `protect()` makes. It asks for no more of the request than it needs, so handlers keep their typed `params`. */
export type Guard = (
  req: Pick<Request, 'method' | 'baseUrl' | 'path' | 'url' | 'headers' | 'auth'>,
  res: Pick<Response, 'statusCode' | 'removeHeader' | 'setHeader' | 'append' | 'end'>,
  next: NextFunction,
) => Promise<void>

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

function requireRoot({ baseUrl }: Request, _res: Response, next: NextFunction): void {
  if (baseUrl === '') return next()
  throw new Error(
    `authorizationServer() is mounted below ${baseUrl}, but its paths count from the root of the host: ` +
      'mount it with app.use(authorizationServer(server)), and let the issuer name the path.',
  )
}

/** Express would ignore case, and decode what `:name` matches. */
function pattern(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll(/:\w+/g, '[^/]+')}$`)
}

function toHttpRequest(req: Parameters<Guard>[0], body: string): HttpRequest {
  const [, ...query] = req.url.split('?')
  const { method, baseUrl, path, headers } = req
  return { method, path: baseUrl + path, query: query.join('?'), headers, body }
}

async function answer(route: Route, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await route.handle(request)
  } catch {
    return errorResponse(new OAuthError('unexpected'))
  }
}

/** The client may not have sent all of the body yet, and need not. */
function refused(error: OAuthError): HttpResponse {
  const response = errorResponse(error)
  return { ...response, headers: { ...response.headers, connection: 'close' } }
}

function send(res: Parameters<Guard>[1], { status, headers, body }: HttpResponse): void {
  res.statusCode = status
  res.removeHeader('X-Powered-By')
  for (const [name, value] of Object.entries(headers)) {
    // A cookie of the application stays; Express would add a charset to what it sets itself.
    if (name.toLowerCase() === 'set-cookie') res.append(name, value as string | string[])
    else res.setHeader(name, value)
  }
  res.end(body)
}
