/**
 * For the packages of this repository alone: a name here may change or go in every release.
 *
 * @module
 */

export { showErrorPage } from './authorization/redirect-target.ts'
export { type UserGrants, userGrants } from './grants/user-grants.ts'
export { requireOwnForm } from './http/cross-site.ts'
export { basePathOf, endpointPath } from './http/endpoint.ts'
export { redirect } from './http/http.ts'
export { text } from './http/message.ts'
export { SERVER_ERRORS } from './kernel/oauth-error.ts'
export { scopeInLanguage } from './kernel/scope.ts'
export { pauseAfter } from './kernel/time.ts'
