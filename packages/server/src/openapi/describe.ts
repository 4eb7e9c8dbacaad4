import type { RouteConfig } from '@hono/zod-openapi'
import type { Hono, MiddlewareHandler } from 'hono'
import { findTargetHandler } from 'hono/utils/handler'

/** One method of one path, as `@hono/zod-openapi` documents it. */
export type Operation = RouteConfig
/** The same without its place. */
export type Description = Omit<Operation, 'method' | 'path'>

const DESCRIPTION = Symbol('OpenAPI description')

/** A middleware that describes the route behind it. It does nothing at run time. */
export function describe(description: Description): MiddlewareHandler {
  const passBy: MiddlewareHandler = (_c, next) => next()
  return Object.assign(passBy, { [DESCRIPTION]: description })
}

/** The operations of an application: its described routes, with their methods and paths. */
// biome-ignore lint/suspicious/noExplicitAny: any variables of its handlers
export function operationsOf(app: Hono<any>): Operation[] {
  return app.routes.flatMap(({ path, method, handler }) => {
    const { [DESCRIPTION]: description } = findTargetHandler(handler) as { [DESCRIPTION]?: Description }
    if (description === undefined) return []
    const place = {
      path: path.replace(/:(\w+)/g, '{$1}'),
      method: method.toLowerCase() as Operation['method'],
    }
    return [{ ...place, ...description }]
  })
}

/** A description of a public operation. */
export function forAnybody(
  tag: string,
  operationId: string,
  summary: string,
  responses: Description['responses'],
): Description {
  return { operationId, tags: [tag], summary, security: [{}], responses }
}
