import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const SECOND_HOLDER =
  'If the app runs once only, somebody has a copy of the token: look at the networks of the two requests.'

/** Refresh tokens, and grants that have ended. */
export const REFRESH_TOKEN_VERDICTS = {
  refresh_token_unknown: {
    by: 'app',
    sentence:
      'The app sent a refresh token that this server does not know: its grant has ended, an operator removed the user or the grant, or the token is cut off.',
    fix: 'The user connects the app again. The audit trail shows what an operator removed. If many apps have this error, the store was lost: keep it over deployments.',
    toDeveloper: 'After `invalid_grant`, forget the tokens and let the user sign in again.',
  },
  refresh_token_expired: {
    by: 'user',
    sentence: 'The refresh token was not used for so long that it expired.',
    fix: 'The user connects the app again. `lifetimes.refreshToken` (`REFRESH_TOKEN_LIFETIME`) decides how long it may stay unused.',
    toDeveloper: 'After `invalid_grant`, let the user sign in again.',
  },
  refresh_token_of_other_client: {
    by: 'app',
    sentence: 'A client sent a refresh token that was issued to another client.',
    fix: 'If the app registered again and kept its old tokens, the user connects it again. Otherwise somebody tries a token that was stolen.',
    toDeveloper:
      'Keep tokens together with the `client_id` that got them, and drop them when you register again.',
  },
  refresh_token_replaced: {
    by: 'app',
    sentence: 'The app used a refresh token that it had replaced a moment ago, and nothing was revoked.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'Let one process refresh at a time, save the new refresh token at once, and read it again before a retry.',
  },
  refresh_token_reused: {
    by: 'app',
    sentence: 'A refresh token was used again after its successor, so its tokens were revoked.',
    fix: `The user connects the app again. Two processes of one app may share a token for the retry window only (\`REFRESH_RETRY_WINDOW\`). ${SECOND_HOLDER}`,
    toDeveloper:
      'Let one process refresh at a time, and save the new refresh token before you use its access token. After `invalid_grant`, let the user sign in again.',
  },
  refresh_retry_differs: {
    by: 'app',
    sentence: 'The app repeated a refresh with another scope or resource.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Repeat a refresh unchanged. For other scopes or resources, use the newest refresh token.',
  },
  refresh_retry_key_gone: {
    by: 'operator',
    sentence: 'The app repeated a refresh that was answered under an earlier server secret.',
    fix: 'Keep the earlier secret for a while after a change (`SECRET_PREVIOUS`). The user connects the app again.',
    toDeveloper: 'After `invalid_grant`, let the user sign in again.',
  },
  client_changed: {
    by: 'app',
    sentence:
      'The document of the app has changed since its user allowed it, so the user has to allow it again.',
    fix: 'The user connects the app again. If the document should not have changed, ask its publisher.',
    toDeveloper:
      'A change of your client ID metadata document ends earlier grants: let the user sign in again.',
    doctorCheck: 'client-document',
  },
  refresh_token_of_other_key: {
    by: 'app',
    sentence: 'The refresh token is bound to a DPoP key, and the request proves another key or none.',
    fix: 'If the app lost its key, the user connects it again.',
    toDeveloper: 'Keep the DPoP key with the refresh token, and prove it with each refresh.',
  },
  refresh_token_of_other_method: {
    by: 'app',
    sentence: 'The app used another authentication method than when it got its first tokens.',
    fix: 'The user connects the app again.',
    toDeveloper: 'Refresh with the authentication method with which you redeemed the code.',
  },
  subject_gone: {
    by: 'user',
    sentence: 'The account of the user is gone or disabled, so the tokens were revoked.',
    fix: 'Look at the account. If it should be there, enable or add it; the user connects the app again.',
    toDeveloper: 'The account of this user is gone. Forget its tokens.',
  },
  token_of_other_client: {
    by: 'app',
    sentence: 'A client tried to revoke or inspect a token of another client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send only tokens that this `client_id` got.',
  },
} as const satisfies VerdictTexts
