import { performance } from 'node:perf_hooks'
import { OAuthError } from '@grantkit/core'
import { errorResponse, type Route, toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { html } from '@grantkit/pages'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { matchedRoutes } from 'hono/route'
import type { BlankEnv } from 'hono/types'
import { getPath } from 'hono/utils/url'
import { jsonError, wrongMethod } from '../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../http/page.ts'
import { HEALTH_PATHS } from '../operations/health.ts'
import { inLanguage, type LocalSite } from '../pages/page-language.ts'
import type { OnResponse } from '../statistics/statistics.ts'

export interface AppOptions {
  /** The paths of the parts are below its base path. Health checks, which do not know it, are at the root as well. */
  readonly site: Site
  /** Called with errors of handlers. */
  readonly onError: (error: unknown) => void
  /** Middleware for every request. */
  readonly around?: readonly MiddlewareHandler[] | undefined
}

/** Everything but the OAuth routes: one application of its parts. */
// biome-ignore lint/suspicious/noExplicitAny: each part has its own variables
export function application(options: AppOptions, parts: readonly Hono<any>[]): OpenAPIHono<BlankEnv> {
  const { site, onError, around = [] } = options
  const app = new OpenAPIHono<BlankEnv>({ getPath: pathBelow(site.basePath) })
  app.onError((error) => {
    onError(error)
    return toResponse(errorResponse(error instanceof OAuthError ? error : new OAuthError(ERRORS.unexpected)))
  })
  app.notFound((c) => {
    const isBase = site.basePath !== '' && getPath(c.req.raw) === decodeURI(site.basePath)
    return isBase
      ? c.redirect(`${site.basePath}/${new URL(c.req.url).search}`, 308)
      : nothingHere(c, inLanguage(site, c))
  })
  app.use(...around, listMethods(app))
  for (const part of parts) app.route('/', part)
  return app
}

/** A path that no part has. */
const ELSEWHERE = '//'

function pathBelow(basePath: string): (request: Request) => string {
  const base = decodeURI(basePath)
  return (request) => {
    const path = getPath(request)
    if (path.startsWith(`${base}/`)) return path.slice(base.length)
    return HEALTH_PATHS.includes(path) ? path : ELSEWHERE
  }
}

/** Answers methods that a path does not support. */
function listMethods(app: Hono): MiddlewareHandler {
  return methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => wrongMethod(c, methods.join(', ')),
  })
}

/** Wraps an OAuth route to measure its responses. */
export function measuredRoute(route: Route, onResponse: OnResponse): Route {
  return {
    ...route,
    handle(request) {
      const begun = performance.now()
      return route.handle(request).then((response) => {
        onResponse({
          method: methodOf(request),
          route: route.path,
          status: response.status,
          seconds: secondsSince(begun),
        })
        return response
      })
    },
  }
}

/** Measures the responses of the application by route. @param basePath of the application; its routes are relative to it */
export function measuring(basePath: string, onResponse: OnResponse): MiddlewareHandler {
  return async (c, next) => {
    const route = matchedRoutes(c).findLast(({ path }) => path !== EVERY_PATH)?.path
    if (route === undefined) return next()
    const begun = performance.now()
    await next()
    onResponse({
      method: methodOf(c.req),
      route: basePath + route,
      status: c.res.status,
      seconds: secondsSince(begun),
    })
  }
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000
}

/** The path of middleware that runs for every request. */
const EVERY_PATH = '/*'

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

/** A caller may send any method name, and each would create a new time series. */
function methodOf({ method }: { readonly method: string }): string {
  return METHODS.includes(method) ? method : 'other'
}

/** The answer where a path does not exist: a page for a browser, JSON for programs. */
async function nothingHere(c: Context, site: LocalSite): Promise<Response> {
  const isBrowser = /\btext\/html\b/i.test(c.req.header('accept') ?? '')
  if (!isBrowser) return jsonError(c, 404, 'not_found', 'There is nothing at this path')
  const { start, account } = site.language
  const main = html`
<h1>${start.nothingTitle}</h1>
<p>${start.nothing}</p>
<p><a href="${site.basePath}/">${start.home}</a> · <a href="${site.basePath}/account">${account.title}</a></p>`
  return pageResponse(site, { title: start.nothingTitle, main, status: 404, formAction: ["'self'"] })
}
