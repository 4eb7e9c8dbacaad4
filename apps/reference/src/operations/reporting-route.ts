import { errorResponse, OAuthError, REFUSALS, type Route } from '@grantkit/core'

/** Wraps a route: the operator gets unexpected errors, the caller only learns that there was one. */
export function reportingRoute(route: Route, onError: (error: unknown) => void): Route {
  return {
    ...route,
    async handle(request) {
      try {
        return await route.handle(request)
      } catch (error) {
        onError(error)
        return errorResponse(error instanceof OAuthError ? error : new OAuthError(REFUSALS.unexpected))
      }
    },
  }
}
