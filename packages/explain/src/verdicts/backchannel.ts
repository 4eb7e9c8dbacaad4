import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const ASK_AGAIN = 'The client sends a new backchannel authentication request.'

/** Backchannel authentication (CIBA). */
export const BACKCHANNEL_VERDICTS = {
  user_hint_missing: {
    by: 'app',
    sentence: 'The request named no user, or named one in two ways.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send exactly one of `login_hint`, `id_token_hint` and `login_hint_token`.',
  },
  login_hint_token_unsupported: {
    by: 'app',
    sentence: 'The request named its user by a `login_hint_token`, which this server does not read.',
    fix: 'Verify such tokens in `userOf`, and set `loginHintTokens`, if this client needs them.',
    toDeveloper: 'Send `login_hint` or `id_token_hint`.',
  },
  backchannel_hint_unverified: {
    by: 'app',
    sentence: 'The ID token in the request is not one that this server issued to this client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the ID token that your own client got, also if it has expired.',
  },
  backchannel_openid_missing: {
    by: 'app',
    sentence: 'The request has no scope `openid`.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Add `openid` to `scope` (CIBA 7.1).',
  },
  backchannel_scope_restricted: {
    by: 'app',
    sentence: 'The request has a scope that is `restricted`, such as one of the admin API.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Get such a scope by the authorization code flow, and leave it out here.',
  },
  requested_expiry_invalid: {
    by: 'app',
    sentence: '`requested_expiry` is not a number of seconds.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send a whole number of seconds. The server keeps it between 30 and 600.',
  },
  binding_message_invalid: {
    by: 'app',
    sentence: 'The message to the user is empty, or longer than 60 characters.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send 1 to 60 visible characters: what the user compares, such as the number of an order.',
  },
  user_unknown: {
    by: 'app',
    sentence: 'No user has the hint of the request.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the e-mail address or the `sub` of a user of this server.',
  },
  too_many_backchannel_requests: {
    by: 'app',
    sentence: 'The client asked one user more often than the limit allows.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Ask for what you need at once, keep the refresh token, and wait for `Retry-After`.',
  },
  request_open: {
    by: 'app',
    sentence: 'A request of this client still waits for the same user.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'Poll for the request that is open, or wait for `Retry-After` if its answer was lost. A user has one of each client.',
  },
  too_many_open_requests: {
    by: 'user',
    sentence: 'Five requests wait for the user.',
    fix: 'The user answers them at `/oauth/requests`.',
    toDeveloper: 'Ask again after the time in `Retry-After`.',
  },
  client_blocked_by_user: {
    by: 'user',
    sentence: 'The user denied three requests of the client within a day, or wants no more of them.',
    fix: 'The user can lift it at `/oauth/requests`.',
    toDeveloper: 'Do not ask this user. A block after three denials ends after a day.',
  },
  backchannel_request_gone: {
    by: 'user',
    sentence: 'The request had ended when the user answered.',
    fix: ASK_AGAIN,
    toDeveloper:
      'Send a longer `requested_expiry`, at most 600 seconds, and ask when the user is likely there.',
  },
  backchannel_request_answered: {
    by: 'user',
    sentence: 'The user had already answered the request.',
    fix: NOTHING_TO_FIX,
    toDeveloper: NOTHING_TO_FIX,
  },
  backchannel_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the page of a request too late, or after signing in again.',
    fix: 'The user opens `/oauth/requests` again.',
    toDeveloper: NOTHING_TO_FIX,
  },
  backchannel_request_unknown: {
    by: 'user',
    sentence: 'The user opened the page of a request that is not theirs, or that is long over.',
    fix: 'The user signs in with the account that the client asked. A forwarded link opens nothing.',
    toDeveloper: 'Send the link of a request to nobody but its user.',
  },
  auth_req_id_unknown: {
    by: 'app',
    sentence: 'The client sends an `auth_req_id` that this server does not know.',
    fix: ASK_AGAIN,
    toDeveloper: 'Send the `auth_req_id` unchanged, and drop it some minutes after it has expired.',
  },
  auth_req_id_of_other_client: {
    by: 'app',
    sentence: 'A client sent an `auth_req_id` that was issued to another client.',
    fix: ASK_AGAIN,
    toDeveloper: 'Poll as the client that sent the request.',
  },
  auth_req_id_expired: {
    by: 'user',
    sentence:
      'The user did not answer in time, or no user has the hint: the client gets the same answer for both.',
    fix: ASK_AGAIN,
    toDeveloper: 'Stop polling. Ask again when the user is likely there.',
  },
  auth_req_id_replayed: {
    by: 'app',
    sentence: 'The `auth_req_id` was used twice, so its tokens were revoked.',
    fix: 'A retry of the client, or a thief: compare the times and networks of the two requests.',
    toDeveloper: 'Stop polling once you have tokens.',
  },
  auth_req_id_of_other_key: {
    by: 'app',
    sentence: 'The request has a DPoP key, and its tokens were requested with another one.',
    fix: ASK_AGAIN,
    toDeveloper: 'Prove the same DPoP key from the backchannel authentication request to the tokens.',
  },
  auth_req_id_retry_key_gone: {
    by: 'operator',
    sentence: 'The client repeated a poll that was answered under an earlier server secret.',
    fix: `Keep the earlier secret for a while after a change (\`SECRET_PREVIOUS\`). ${ASK_AGAIN}`,
    toDeveloper: 'Send a new request.',
  },
  auth_req_id_retry_differs: {
    by: 'app',
    sentence: 'The client repeated its request for tokens with another resource.',
    fix: ASK_AGAIN,
    toDeveloper: 'Repeat a request unchanged.',
  },
  backchannel_pending: {
    by: 'user',
    sentence: 'The client waits for its user, who has not answered yet.',
    fix: 'The user answers at `/oauth/requests`.',
    toDeveloper: 'Keep polling at the `interval` of the answer.',
  },
  backchannel_polled_too_fast: {
    by: 'app',
    sentence: 'The client polls more often than it may, and waits for its user.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `slow_down`, wait five seconds longer between two polls (CIBA 11).',
  },
  backchannel_denied: {
    by: 'user',
    sentence: 'The user denied the request.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'The user chose "Deny". Do not ask again by yourself: three denials block the client for a day.',
  },
} as const satisfies VerdictTexts
