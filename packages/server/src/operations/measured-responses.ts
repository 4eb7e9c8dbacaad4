import { performance } from 'node:perf_hooks'
import type { Route } from '@grantkit/core/adapter'
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { OnResponse } from '../statistics/statistics.ts'

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
