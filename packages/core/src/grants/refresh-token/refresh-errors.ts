import { defineErrors } from '../../kernel/oauth-error.ts'

export const REFRESH_ERRORS = defineErrors({
  refresh_token_unknown: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_expired: ['invalid_grant', 'The refresh token has expired'],
  refresh_token_of_other_client: ['invalid_grant', 'The refresh token is not valid'],
  refresh_token_replaced: [
    'invalid_grant',
    'The refresh token was replaced a moment ago; use the newest one',
  ],
  refresh_token_reused: ['invalid_grant', 'The refresh token was used before; its tokens are revoked'],
  refresh_retry_differs: [
    'invalid_grant',
    'The refresh token was used a moment ago for another scope or resource',
  ],
  refresh_retry_key_gone: [
    'invalid_grant',
    'The refresh token was used before, and its answer cannot be given again; ask the user again',
  ],
  client_changed: [
    'invalid_grant',
    'The application has changed since its user allowed it; ask the user again',
  ],
  refresh_token_of_other_key: [
    'invalid_dpop_proof',
    'The refresh needs a DPoP proof of the key of its token',
  ],
  refresh_token_of_other_method: [
    'invalid_client',
    'The client must authenticate by the method with which it got the first token',
  ],
})
