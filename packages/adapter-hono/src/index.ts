import type { Authorized, Caller, HttpRequest, HttpResponse, ResourceServer } from '@grantkit/core'
import {
  BODY_LIMIT,
  failedResponse,
  MESSAGE_ERRORS,
  nativeRequest,
  OAuthError,
  type Route,
  readBody,
  toHttpRequest,
} from '@grantkit/core/adapter'
import { type Context, type Env, Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status'

/** The middleware that `protect()` returns. It puts the caller into `c.var.auth`. */
export type Guard<Auth extends Caller = Authorized> = MiddlewareHandler<{
  Variables: { auth: Auth }
}>

export interface AuthorizationServerOptions {
  /**
   * The IP address of the caller: `(c) => getConnInfo(c).remote.address`, with the `getConnInfo` of your runtime. Hono
   * itself does not know the address, and without it all callers count as one for rate limits.
   */
  readonly remoteAddress?: ((c: Context) => string | undefined) | undefined
}

/**
 * An application with every route of an authorization server, or of any list of core's routes. Mount it at the root,
 * `app.route('/', authorizationServer(server))`: its paths begin at the root of the host.
 *
 * @example
 * ```ts with:hono
 * import { authorizationServer } from '@grantkit/adapter-hono'
 *
 * app.route('/', authorizationServer(server))
 * ```
 */
export function authorizationServer(
  server: { readonly routes: readonly Route[] },
  { remoteAddress = () => undefined }: AuthorizationServerOptions = {},
): Hono {
  const app = new Hono()
  for (const route of server.routes) {
    const path = pattern(route.path) + (route.below ? '/:below{.*}' : '')
    app.all(path, async (c, next) => {
      requireRoot(routePath(c), path)
      try {
        const caller = remoteAddress(c)
        const request = { ...toHttpRequest(c.req.raw, '', caller), native: c }
        const found = route.find ? await route.find(request) : route
        if (found === undefined) return next()
        return send(c, await found.handle({ ...request, body: await bodyOf(c) }))
      } catch (thrown) {
        return send(c, errorResponse(c, thrown))
      }
    })
  }
  return app
}

/** Hono matches decoded paths. A segment that it would read as a pattern stands in a regular expression. */
function pattern(path: string): string {
  const literal = (segment: string, index: number) =>
    /^:|\*/.test(segment) ? `:s${index}{${segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}}` : segment
  return decodeURI(path).split('/').map(literal).join('/')
}

function requireRoot(mounted: string, path: string): void {
  if (mounted === path) return
  throw new Error(
    `authorizationServer() is mounted below ${mounted.slice(0, -path.length)}, but its paths count from the root of the ` +
      "host: mount it by app.route('/', authorizationServer(server)) and let the issuer name the path",
  )
}

/**
 * Middleware that guards a route: no token or a bad one is refused with 401, a missing scope with 403. The handler
 * finds the caller in `c.var.auth`; if the API allows it, that may be `{ kind: 'anonymous' }`. The guard knows the IP address of
 * the caller if middleware has set the variable `remoteAddress`.
 *
 * @example
 * ```ts with:hono
 * import { protect } from '@grantkit/adapter-hono'
 *
 * app.get('/notes', protect(api, 'notes:read'), (c) => c.json({ of: c.var.auth.token.subject }))
 * ```
 */
export function protect<Scope extends string, Auth extends Caller>(
  api: ResourceServer<Scope, Auth>,
  ...scopes: NoInfer<Scope>[]
): Guard<Auth> {
  return async (c, next) => {
    const caller: string | undefined = (c as Context).get('remoteAddress')
    const access = await api.access(toHttpRequest(c.req.raw, '', caller), ...scopes)
    if (access.kind === 'refused') return send(c, access.response)
    c.set('auth', access)
    return next().then(() => addHeaders(c, access))
  }
}

/**
 * The context of Hono, for the callbacks of your interaction: `session: async (request) => …
 * honoContext(request).var.user`.
 *
 * @throws Error for a request that came another way
 *
 * @example
 * ```ts with:hono
 * import { honoContext } from '@grantkit/adapter-hono'
 * import type { HttpRequest } from '@grantkit/core'
 *
 * export const cookiesOf = (request: HttpRequest) => honoContext(request).req.header('cookie')
 * ```
 */
export function honoContext<E extends Env = Env>(request: HttpRequest): Context<E> {
  return nativeRequest(request) as Context<E>
}

/** After the handler: one that answers with a Response of its own would lose what was set before. */
function addHeaders(c: Context, auth: Caller): void {
  const headers = (auth.kind === 'authorized' && auth.headers) || {}
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

/** Hono caches a body that the application's middleware has read through it. */
async function bodyOf({ req: request, env }: Context): Promise<string> {
  const [kept] = Object.keys(request.bodyCache)
  // A request from @hono/node-server came through Node's HTTP parser, which checks lengths.
  const framed = env?.incoming !== undefined
  if (kept === undefined) return readBody(request.raw, framed)
  const text = kept === 'formData' ? await formText(request) : await request.text()
  if (Buffer.byteLength(text) > BODY_LIMIT) throw new OAuthError(MESSAGE_ERRORS.body_too_large)
  return text
}

/** Hono turns any form into multipart, whatever its content type is. */
async function formText(request: HonoRequest): Promise<string> {
  const fields = [...(await request.formData())]
  const multipart = !request.header('content-type')?.startsWith('application/x-www-form-urlencoded')
  return multipart ? readBody(request.raw) : String(new URLSearchParams(fields as [string, string][]))
}

/** Sets headers through the context: headers that middleware has set stay, unless core sets the same ones. */
function send(c: Context, { status, headers, body }: HttpResponse): Response {
  for (const [name, values] of Object.entries(headers)) {
    // Keeps cookies that middleware has set.
    let append = name.toLowerCase() === 'set-cookie'
    for (const value of typeof values === 'string' ? [values] : values) {
      c.header(name, value, { append })
      append = true
    }
  }
  return body === '' ? c.body(null, status as StatusCode) : c.body(body, status as ContentfulStatusCode)
}

/** The application finds the error in the context too. */
function errorResponse(c: Context, thrown: unknown): HttpResponse {
  const isClientsFault = thrown instanceof OAuthError && thrown.status < 500
  if (!isClientsFault) c.error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return failedResponse(thrown)
}
