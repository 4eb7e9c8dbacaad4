/**
 * What you need to write an adapter: the routes of a server, and functions from a request of a framework to a request record
 * and back.
 *
 * @module
 */
export {
  addressOf,
  BODY_LIMIT,
  errorResponse,
  failedResponse,
  MESSAGE_ERRORS,
  wellKnownAddress,
} from './http/endpoint.ts'
export { readBody, toFetchHandler, toHttpRequest, toResponse } from './http/fetch-handler.ts'
export { nativeRequest, nodeHeaders, type Route, routeFinder } from './http/http.ts'
export { OAuthError } from './kernel/oauth-error.ts'
