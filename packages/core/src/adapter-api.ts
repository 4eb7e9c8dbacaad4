/**
 * What you need to write an adapter: the routes of a server, and functions from a request of a framework to a request record
 * and back.
 *
 * @module
 */
export { BODY_LIMIT, type CorsHeaders } from './http/endpoint.ts'
export { errorResponse, failedResponse } from './http/error-response.ts'
export {
  type FetchHandlerOptions,
  readBody,
  toFetchHandler,
  toHttpRequest,
  toResponse,
} from './http/fetch-handler.ts'
export { type HttpRequest, type HttpResponse, nativeRequest, nodeHeaders, type Route } from './http/http.ts'
export { MESSAGE_ERRORS } from './http/message-errors.ts'
export { addressOf, wellKnownAddress } from './http/well-known.ts'
export { OAuthError } from './kernel/oauth-error.ts'
