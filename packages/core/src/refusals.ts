import { APPROVAL_REFUSALS } from './authorization/approval.ts'
import { REQUEST_REFUSALS } from './authorization/authorization-request.ts'
import { CONSENT_REFUSALS } from './authorization/consent.ts'
import { DENIAL_REFUSALS } from './authorization/denial.ts'
import { PUSHED_REFUSALS } from './authorization/presented-request.ts'
import { PROMPT_REFUSALS } from './authorization/prompt.ts'
import { PUSHED_KEY_REFUSALS } from './authorization/pushed-key.ts'
import { TARGET_REFUSALS } from './authorization/redirect-target.ts'
import { DOCUMENT_REFUSALS } from './cimd/fetched-clients.ts'
import { ASSERTION_REFUSALS } from './client-assertion/assertion-refusals.ts'
import { MACHINE_REFUSALS } from './client-credentials/exchange.ts'
import { BASIC_REFUSALS } from './clients/authentication/basic-credentials.ts'
import { AUTHENTICATION_REFUSALS } from './clients/authentication/client-authentication.ts'
import { METADATA_REFUSALS } from './clients/client-metadata.ts'
import { CLIENT_REFUSALS } from './clients/client-sources.ts'
import { REDIRECT_URI_REFUSALS } from './clients/redirect-uri.ts'
import { DEVICE_AUTHORIZATION_REFUSALS } from './device/device-authorization.ts'
import { DEVICE_REQUEST_REFUSALS } from './device/device-request.ts'
import { DEVICE_PAGE_REFUSALS } from './device/page-session.ts'
import { POLL_REFUSALS } from './device/poll.ts'
import { DEVICE_CODE_REFUSALS } from './device/redemption.ts'
import { USER_CODE_REFUSALS } from './device/user-code-tries.ts'
import { DPOP_REFUSALS } from './dpop/proof-checks.ts'
import { FORWARDED_REFUSALS } from './forward-auth/forwarded-request.ts'
import { VERIFY_REFUSALS } from './forward-auth/verify-request.ts'
import { CHALLENGE_REFUSALS } from './grants/authorization-code/pkce.ts'
import { CODE_REFUSALS } from './grants/authorization-code/redemption.ts'
import { BOUND_RESOURCE_REFUSALS } from './grants/bound-resource.ts'
import { REFRESH_REFUSALS } from './grants/refresh-token/refresh-refusals.ts'
import { REVOCATION_REFUSALS } from './grants/revocation.ts'
import { SUBJECT_REFUSALS } from './grants/subject.ts'
import { GRANT_TYPE_REFUSALS } from './grants/token-endpoint.ts'
import { CROSS_SITE_REFUSALS } from './http/cross-site.ts'
import { METHOD_REFUSALS } from './http/endpoint.ts'
import { MESSAGE_REFUSALS } from './http/message.ts'
import { BODY_REFUSALS } from './http/parameters.ts'
import { ENDED_REFUSALS } from './jwt-access-tokens/ended-tokens.ts'
import { KEY_REFUSALS } from './jwt-access-tokens/key-refusals.ts'
import { FEED_REFUSALS } from './jwt-access-tokens/revocation-feed.ts'
import { SERVER_REFUSALS } from './kernel/oauth-error.ts'
import { RESOURCE_REFUSALS } from './kernel/resource-indicator.ts'
import { SCOPE_REFUSALS } from './kernel/scope.ts'
import { LIMIT_REFUSALS } from './limits/rate-limits.ts'
import { LOGOUT_REFUSALS } from './logout/end-session.ts'
import { LOGOUT_REQUEST_REFUSALS } from './logout/logout-request.ts'
import { POST_LOGOUT_REFUSALS } from './logout/post-logout-redirect-uri.ts'
import { ID_TOKEN_REFUSALS } from './openid/id-token.ts'
import { HINT_REFUSALS } from './openid/id-token-hint.ts'
import { PAR_REFUSALS } from './par/par.ts'
import { BEARER_REFUSALS } from './resource/bearer.ts'
import { BINDING_REFUSALS } from './resource/token-binding.ts'
import { SCHEME_REFUSALS } from './resource/token-credentials.ts'
import { EXCHANGE_REFUSALS } from './token-exchange/narrowing.ts'

/**
 * All refusals of this server by their reason. New rows may come, but a reason never changes its meaning.
 *
 * @example
 * ```ts
 * import { REFUSALS } from '@grantkit/core'
 *
 * const { error, status } = REFUSALS.code_expired
 * // error: 'invalid_grant', status: 400
 * ```
 */
export const REFUSALS = {
  ...MESSAGE_REFUSALS,
  ...METHOD_REFUSALS,
  ...BODY_REFUSALS,
  ...CLIENT_REFUSALS,
  ...DOCUMENT_REFUSALS,
  ...AUTHENTICATION_REFUSALS,
  ...BASIC_REFUSALS,
  ...ASSERTION_REFUSALS,
  ...TARGET_REFUSALS,
  ...REQUEST_REFUSALS,
  ...CHALLENGE_REFUSALS,
  ...PUSHED_REFUSALS,
  ...PUSHED_KEY_REFUSALS,
  ...PAR_REFUSALS,
  ...PROMPT_REFUSALS,
  ...HINT_REFUSALS,
  ...CROSS_SITE_REFUSALS,
  ...CONSENT_REFUSALS,
  ...DENIAL_REFUSALS,
  ...APPROVAL_REFUSALS,
  ...SCOPE_REFUSALS,
  ...RESOURCE_REFUSALS,
  ...GRANT_TYPE_REFUSALS,
  ...CODE_REFUSALS,
  ...MACHINE_REFUSALS,
  ...BOUND_RESOURCE_REFUSALS,
  ...REFRESH_REFUSALS,
  ...SUBJECT_REFUSALS,
  ...REVOCATION_REFUSALS,
  ...EXCHANGE_REFUSALS,
  ...BEARER_REFUSALS,
  ...KEY_REFUSALS,
  ...FEED_REFUSALS,
  ...ENDED_REFUSALS,
  ...SCHEME_REFUSALS,
  ...BINDING_REFUSALS,
  ...DPOP_REFUSALS,
  ...VERIFY_REFUSALS,
  ...FORWARDED_REFUSALS,
  ...LOGOUT_REQUEST_REFUSALS,
  ...POST_LOGOUT_REFUSALS,
  ...LOGOUT_REFUSALS,
  ...DEVICE_AUTHORIZATION_REFUSALS,
  ...USER_CODE_REFUSALS,
  ...DEVICE_PAGE_REFUSALS,
  ...DEVICE_REQUEST_REFUSALS,
  ...DEVICE_CODE_REFUSALS,
  ...POLL_REFUSALS,
  ...REDIRECT_URI_REFUSALS,
  ...METADATA_REFUSALS,
  ...LIMIT_REFUSALS,
  ...ID_TOKEN_REFUSALS,
  ...SERVER_REFUSALS,
} as const
export type Reason = keyof typeof REFUSALS
