import { OAuthError } from '@grantkit/core'
import { errorResponse, toResponse } from '@grantkit/core/adapter'
import { ERRORS } from '@grantkit/core/errors'
import { Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { getPath } from 'hono/utils/url'
import { jsonError } from './http/bodies-and-answers.ts'
import { nothingHere } from './pages/nothing-here.ts'

export interface AppOptions {
  /** The path of the service's address, without a slash at its end. The paths of the parts count from it. */
  readonly basePath: string
  /** Called with the errors of handlers. */
  readonly onError: (error: unknown) => void
  /** Run around every request. */
  readonly around?: readonly MiddlewareHandler[] | undefined
}

/** Everything but the OAuth routes: one application of its parts. */
// biome-ignore lint/suspicious/noExplicitAny: each part has variables of its own
export function application(options: AppOptions, parts: readonly Hono<any>[]): Hono {
  const { basePath, onError, around = [] } = options
  const app = new Hono({ getPath: pathBelow(basePath) })
  app.onError((error) => {
    onError(error)
    return toResponse(errorResponse(error instanceof OAuthError ? error : new OAuthError(ERRORS.unexpected)))
  })
  app.notFound((c) => nothingHere(c, { basePath }))
  app.use(...around, listMethods(app))
  for (const part of parts) app.route('/', part)
  return app
}

/** No path of any part. */
const ELSEWHERE = '//'

function pathBelow(basePath: string): (request: Request) => string {
  const base = decodeURI(basePath)
  return (request) => {
    const path = getPath(request)
    return path.startsWith(`${base}/`) ? path.slice(base.length) : ELSEWHERE
  }
}

/** Answers the methods that a path does not have. */
function listMethods(app: Hono): MiddlewareHandler {
  return methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) =>
      jsonError(c, 405, 'invalid_request', 'This method is not allowed here', { allow: methods.join(', ') }),
  })
}
