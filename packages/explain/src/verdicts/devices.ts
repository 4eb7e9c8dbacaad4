import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const BEGIN_ON_THE_DEVICE = 'The user begins again on the device.'
const POLL_AGAIN = 'Begin a new device authorization request, and show its code.'

/** The device grant. */
export const DEVICE_VERDICTS = {
  device_scope_refused: {
    by: 'operator',
    sentence: 'The device requested a scope that devices cannot get here.',
    fix: 'Allow the scope to devices if that is safe, or remove it from the settings of the device.',
    toDeveloper: 'Request fewer scopes on devices. The operator decides which ones they can get.',
    doctorCheck: 'device-grant',
  },
  too_many_device_requests: {
    by: 'operator',
    sentence: 'More devices began from one address than the limit allows.',
    fix: 'If all requests seem to come from your proxy, set `TRUST_PROXY`.',
    toDeveloper: 'Begin only when a user asks for it, and wait for the time in `Retry-After`.',
  },
  no_user_code_free: {
    by: 'server',
    sentence: 'So many devices sign in at once that no short code is free.',
    fix: 'It passes by itself. If it does not, many devices begin without a user.',
    toDeveloper: 'The server was busy. Begin again after the time in `Retry-After`.',
  },
  too_many_user_codes: {
    by: 'user',
    sentence: 'The user typed too many wrong codes.',
    fix: 'The user waits a few minutes, and looks at the device again.',
    toDeveloper: 'Show the code large and in groups, so that it is easy to type.',
  },
  device_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the page for the device too late, or after signing in again.',
    fix: 'The user opens the page again and types the code once more.',
    toDeveloper: 'The page was open for too long. Keep showing the code until it expires.',
  },
  device_request_gone: {
    by: 'user',
    sentence: 'The code of the device had expired when the user answered.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: 'Show for how long the code is valid (`expires_in`), and offer a new one after that.',
  },
  device_request_answered: {
    by: 'user',
    sentence: 'The user had already answered the request of the device.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Stop showing the code once the answer has come.',
  },
  device_code_unknown: {
    by: 'app',
    sentence: 'The device sends a code that this server does not know.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: 'Send the `device_code` unchanged, and not the `user_code`.',
  },
  device_code_of_other_client: {
    by: 'app',
    sentence: 'A client sent a device code that was issued to another client.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: 'Poll with the `client_id` of the device authorization request.',
  },
  device_code_expired: {
    by: 'user',
    sentence: 'The user did not answer before the code of the device expired.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: POLL_AGAIN,
  },
  device_code_replayed: {
    by: 'app',
    sentence: 'The device code was used twice, so its tokens were revoked.',
    fix: 'A retry of the device, or a thief: compare the times and networks of the two requests.',
    toDeveloper: 'Stop polling once you have tokens.',
  },
  device_code_of_other_key: {
    by: 'app',
    sentence: 'The device began with a DPoP key, and requests its tokens with another one.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: 'Prove the same DPoP key from the device authorization request to the tokens.',
  },
  device_retry_key_gone: {
    by: 'operator',
    sentence: 'The device repeated a request that was answered under an earlier server secret.',
    fix: `Keep the earlier secret for a while after a change (\`SECRET_PREVIOUS\`). ${BEGIN_ON_THE_DEVICE}`,
    toDeveloper: POLL_AGAIN,
  },
  device_retry_differs: {
    by: 'app',
    sentence: 'The device repeated its request for tokens with another resource.',
    fix: BEGIN_ON_THE_DEVICE,
    toDeveloper: 'Repeat a request unchanged.',
  },
  authorization_pending: {
    by: 'user',
    sentence: 'The device waits for its user, who has not answered yet.',
    fix: 'The user types the code of the device and answers the page.',
    toDeveloper: 'Keep polling at the `interval` of the answer.',
  },
  polled_too_fast: {
    by: 'app',
    sentence: 'The device polls more often than it may, and waits for its user.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `slow_down`, wait five seconds longer between two requests (RFC 8628 3.5).',
  },
  device_denied: {
    by: 'user',
    sentence: 'The user denied access to the device.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The user chose "Deny". Tell the user, and do not begin again by yourself.',
  },
} as const satisfies VerdictTexts
