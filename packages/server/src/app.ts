import { OAuthError } from '@grantkit/core'
import { errorResponse, toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Hono, MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { BlankEnv } from 'hono/types'
import { getPath } from 'hono/utils/url'
import { jsonError } from './http/bodies-and-answers.ts'
import type { Site } from './http/page.ts'
import { HEALTH_PATHS } from './operations/health.ts'
import { nothingHere } from './pages/nothing-here.ts'

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
    return isBase ? c.redirect(`${site.basePath}/${new URL(c.req.url).search}`, 308) : nothingHere(c, site)
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
    onMethodNotAllowed: (c, methods) =>
      jsonError(c, 405, 'invalid_request', 'This method is not allowed here. Use one of the Allow header', {
        allow: methods.join(', '),
      }),
  })
}
