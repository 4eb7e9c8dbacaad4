import { APPROVAL_ERRORS } from './authorization/approval.ts'
import { DOCUMENT_LIMIT_ERRORS } from './authorization/authorization-context.ts'
import { REQUEST_ERRORS } from './authorization/authorization-request.ts'
import { CONSENT_ERRORS } from './authorization/consent.ts'
import { PUSHED_ERRORS } from './authorization/presented-request.ts'
import { TARGET_ERRORS } from './authorization/redirect-target.ts'
import { RESPONSE_MODE_ERRORS } from './authorization/response-mode.ts'
import { PROMPT_ERRORS, STEP_UP_ERRORS } from './authorization/sign-in.ts'
import { SESSION_ERRORS } from './authorization/user-sessions.ts'
import { AUTHENTICATION_ERRORS } from './clients/authentication/client-authentication.ts'
import { METADATA_ERRORS } from './clients/client-metadata.ts'
import { CLIENT_ERRORS } from './clients/client-record.ts'
import { REDIRECT_URI_ERRORS } from './clients/redirect-uri.ts'
import { REGISTRATION_ERRORS } from './clients/registration.ts'
import { DETAIL_ERRORS } from './features/authorization-details/detail.ts'
import { AUTH_REQ_ID_ERRORS } from './features/backchannel-authentication/auth-req-id.ts'
import { BACKCHANNEL_REQUEST_ERRORS } from './features/backchannel-authentication/backchannel-request.ts'
import { BACKCHANNEL_PAGE_ERRORS } from './features/backchannel-authentication/request-pages.ts'
import { USER_REQUEST_ERRORS } from './features/backchannel-authentication/user-requests.ts'
import { DOCUMENT_ERRORS } from './features/cimd/fetched-clients.ts'
import { ASSERTION_ERRORS } from './features/client-assertion/private-key-jwt.ts'
import { CLIENT_CREDENTIALS_ERRORS } from './features/client-credentials/client-credentials.ts'
import { DEVICE_REQUEST_ERRORS } from './features/device/device-authorization.ts'
import { DEVICE_PAGE_ERRORS } from './features/device/device-pages.ts'
import { DEVICE_CODE_ERRORS } from './features/device/device-token-request.ts'
import { DPOP_ERRORS } from './features/dpop/dpop-proof.ts'
import { FORWARD_AUTH_ERRORS } from './features/forward-auth/forward-auth.ts'
import { INITIAL_ACCESS_TOKEN_ERRORS } from './features/initial-access-tokens/initial-access-tokens.ts'
import { FEED_ERRORS } from './features/jwt-access-tokens/revocation-feed.ts'
import { JWT_GUARD_ERRORS } from './features/jwt-access-tokens/revoked-tokens.ts'
import { JWT_GRANT_ERRORS } from './features/jwt-bearer/assertion.ts'
import { LOGOUT_ERRORS } from './features/logout/logout.ts'
import { ORGANIZATION_ERRORS } from './features/organizations/organization-term.ts'
import { PAR_ERRORS } from './features/par/pushed-request.ts'
import { REQUEST_OBJECT_ERRORS } from './features/request-objects/request-object.ts'
import { SIGNED_RESPONSE_ERRORS } from './features/signed-responses/signed-responses.ts'
import { EXCHANGE_ERRORS } from './features/token-exchange/narrowing.ts'
import { CHALLENGE_ERRORS, CODE_ERRORS } from './grants/authorization-code.ts'
import { BOUND_RESOURCE_ERRORS, UNKNOWN_TERM } from './grants/grant.ts'
import { TOKEN_CLAIMS_ERRORS } from './grants/operator-claims.ts'
import { REFRESH_ERRORS } from './grants/refresh-token-state.ts'
import { TERM_ERRORS } from './grants/request-terms.ts'
import { REVOCATION_ERRORS } from './grants/revocation.ts'
import { CLIENT_LIMIT_ERRORS, GRANT_TYPE_ERRORS } from './grants/token-endpoint.ts'
import { MESSAGE_ERRORS } from './http/endpoint.ts'
import { CROSS_SITE_ERRORS } from './http/page.ts'
import { ISSUER_ERRORS } from './issuers/issuers.ts'
import { SUBJECT_ERRORS } from './kernel/kernel.ts'
import { SERVER_ERRORS } from './kernel/oauth-error.ts'
import { RESOURCE_ERRORS } from './kernel/resource-indicator.ts'
import { SCOPE_ERRORS } from './kernel/scope.ts'
import { LIMIT_ERRORS } from './limits/rate-limits.ts'
import { ID_TOKEN_ERRORS } from './openid/id-token.ts'
import { BEARER_ERRORS, SCHEME_ERRORS } from './resource/challenge.ts'
import { BINDING_ERRORS, SIGN_IN_ERRORS } from './resource/guard.ts'
import { FETCHED_KEYS_ERRORS } from './tokens/fetched-keys.ts'

/**
 * All errors of this server by their reason. New rows may come, but a reason never changes its meaning.
 *
 * @example
 * ```ts
 * import { ERRORS } from '@grantkit/core/errors'
 *
 * const { error, status } = ERRORS.code_expired
 * // error: 'invalid_grant', status: 400
 * ```
 */
export const ERRORS = {
  ...MESSAGE_ERRORS,
  ...CLIENT_ERRORS,
  ...DOCUMENT_ERRORS,
  ...AUTHENTICATION_ERRORS,
  ...ASSERTION_ERRORS,
  ...FETCHED_KEYS_ERRORS,
  ...TARGET_ERRORS,
  ...REQUEST_ERRORS,
  ...RESPONSE_MODE_ERRORS,
  ...CHALLENGE_ERRORS,
  ...PUSHED_ERRORS,
  ...ORGANIZATION_ERRORS,
  ...DETAIL_ERRORS,
  ...PAR_ERRORS,
  ...REQUEST_OBJECT_ERRORS,
  ...SIGNED_RESPONSE_ERRORS,
  ...PROMPT_ERRORS,
  ...STEP_UP_ERRORS,
  ...CROSS_SITE_ERRORS,
  ...CONSENT_ERRORS,
  ...APPROVAL_ERRORS,
  ...SCOPE_ERRORS,
  ...RESOURCE_ERRORS,
  ...GRANT_TYPE_ERRORS,
  ...CODE_ERRORS,
  ...CLIENT_CREDENTIALS_ERRORS,
  ...BOUND_RESOURCE_ERRORS,
  ...REFRESH_ERRORS,
  ...UNKNOWN_TERM,
  ...TERM_ERRORS,
  ...SUBJECT_ERRORS,
  ...TOKEN_CLAIMS_ERRORS,
  ...REVOCATION_ERRORS,
  ...EXCHANGE_ERRORS,
  ...JWT_GRANT_ERRORS,
  ...BEARER_ERRORS,
  ...SIGN_IN_ERRORS,
  ...FEED_ERRORS,
  ...JWT_GUARD_ERRORS,
  ...SCHEME_ERRORS,
  ...BINDING_ERRORS,
  ...DPOP_ERRORS,
  ...FORWARD_AUTH_ERRORS,
  ...LOGOUT_ERRORS,
  ...SESSION_ERRORS,
  ...DEVICE_REQUEST_ERRORS,
  ...DEVICE_PAGE_ERRORS,
  ...DEVICE_CODE_ERRORS,
  ...BACKCHANNEL_REQUEST_ERRORS,
  ...USER_REQUEST_ERRORS,
  ...BACKCHANNEL_PAGE_ERRORS,
  ...AUTH_REQ_ID_ERRORS,
  ...REDIRECT_URI_ERRORS,
  ...METADATA_ERRORS,
  ...REGISTRATION_ERRORS,
  ...INITIAL_ACCESS_TOKEN_ERRORS,
  ...DOCUMENT_LIMIT_ERRORS,
  ...LIMIT_ERRORS,
  ...CLIENT_LIMIT_ERRORS,
  ...ID_TOKEN_ERRORS,
  ...ISSUER_ERRORS,
  ...SERVER_ERRORS,
} as const
export type Reason = keyof typeof ERRORS
