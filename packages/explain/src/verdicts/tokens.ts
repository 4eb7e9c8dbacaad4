import { DEVELOPER_ONLY, NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

/** Which grant types a client may use. */
export const GRANT_TYPE_VERDICTS = {
  grant_type_unsupported: {
    by: 'operator',
    sentence: 'The app used a grant type that this server does not have.',
    fix: 'Turn on the feature of this grant type if apps need it.',
    toDeveloper: 'Use a grant type of `grant_types_supported` in the metadata, such as `authorization_code`.',
    doctorCheck: 'device-grant',
  },
  grant_type_not_registered: {
    by: 'app',
    sentence: 'The app used a grant type that it is not registered for.',
    fix: 'Register the app with this grant type. A client that registers itself gets only those that the server offers to all.',
    toDeveloper:
      'Name the grant type in `grant_types` of your registration. If the answer to it lacks the grant type, ask the operator to register your app.',
  },
  client_credentials_not_allowed: {
    by: 'operator',
    sentence: 'The client requested a token of its own, and is not allowed to.',
    fix: 'Allow it client credentials by `client_credentials_scopes`.',
    toDeveloper: 'Your client may not use client credentials here. Ask the operator.',
  },
  too_many_client_credentials_tokens: {
    by: 'app',
    sentence: 'The client requested more tokens of its own than the limit allows.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Use each access token until it expires (`expires_in`), instead of a new one for each call.',
  },
  client_over_token_limit: {
    by: 'operator',
    sentence: 'The app has had as many tokens in a minute as its limit allows.',
    fix: 'Raise the limit (`clients.update`, `tokensPerMinute`), or ask its developer why it needs so many tokens.',
    toDeveloper:
      'Wait for the time in `Retry-After` and repeat the request: nothing was used up. Use each access token until it expires.',
  },
  client_over_grant_limit: {
    by: 'operator',
    sentence: 'The app has had as many new grants in an hour as its limit allows.',
    fix: 'Raise the limit of new grants (`clients.update`, `grantsPerHour`).',
    toDeveloper: 'Wait for the time in `Retry-After`. Keep the refresh token: a refresh is no new grant.',
  },
} as const satisfies VerdictTexts

const BEGIN_AGAIN = 'The user begins again in the app.'

/** The authorization code and its PKCE verifier, at the token endpoint. */
export const CODE_VERDICTS = {
  code_unknown: {
    by: 'app',
    sentence:
      'The app sent a code that this server does not know: mistyped, cut off, or of a grant that has ended or was removed.',
    fix: `${BEGIN_AGAIN} The audit trail shows what an operator removed.`,
    toDeveloper: 'Send the `code` of the redirect unchanged and decoded once, and only once.',
  },
  code_expired: {
    by: 'app',
    sentence: 'The app redeemed the code too late.',
    fix: 'If the app has to wait for its user, extend `lifetimes.code` (`CODE_LIFETIME`). Compare the clocks of the replicas.',
    toDeveloper: 'Redeem the code as soon as the redirect arrives; it is valid for about a minute.',
    doctorCheck: 'clock',
  },
  code_of_other_client: {
    by: 'app',
    sentence: 'A client sent a code that was issued to another client.',
    fix: 'If the app registered again in the middle of a sign-in, begin again. Otherwise somebody tries a code that was stolen.',
    toDeveloper: 'Redeem the code with the `client_id` of its authorization request: keep it until then.',
  },
  code_redirect_uri_mismatch: {
    by: 'app',
    sentence: 'The `redirect_uri` of the token request differs from the one of the authorization request.',
    fix: 'Look for two addresses of the app in its settings: http and https, a proxy, a slash at the end.',
    toDeveloper: 'Send the same `redirect_uri` with the code as in the authorization request, byte for byte.',
  },
  code_redirect_uri_missing: {
    by: 'app',
    sentence: 'The token request has no `redirect_uri`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send the `redirect_uri` of the authorization request with the code.',
  },
  code_redirect_uri_removed: {
    by: 'operator',
    sentence:
      'An operator removed the redirect URI of this sign-in from the client while the user signed in.',
    fix: 'If the app still uses this redirect URI, add it to the client again (`clients update`).',
    toDeveloper:
      'Begin again with a redirect URI that is registered, and ask the operator which one that is.',
  },
  session_ended: {
    by: 'user',
    sentence: 'The user signed out between the consent and the token request.',
    fix: BEGIN_AGAIN,
    toDeveloper: 'Let the user sign in again: the session of the code has ended.',
  },
  code_verifier_missing: {
    by: 'app',
    sentence: 'The app began with PKCE and sent the code without its verifier.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `code_verifier` with the code, and keep it until the redirect arrives.',
  },
  code_of_other_key: {
    by: 'app',
    sentence: 'The app bound the code to a DPoP key, and the token request proves another key or none.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Prove the key of `dpop_jkt` when you redeem the code.',
  },
  code_verifier_mismatch: {
    by: 'app',
    sentence: 'The `code_verifier` does not belong to the code, which is void now.',
    fix: 'The user begins again, with one window only: two sign-ins at once are often mixed up. If it happens without the user, somebody tries a code that was stolen.',
    toDeveloper:
      'Keep each `code_verifier` under its `state`: the app mixed up two sign-ins, or hashed the verifier in another way than S256.',
  },
  code_replayed: {
    by: 'app',
    sentence: 'The code was used twice, so its tokens were revoked.',
    fix: 'Two tabs, a retry of the app, or a thief: compare the times and networks of the two requests. The user begins again.',
    toDeveloper:
      'Redeem each code once. Do not repeat the token request, and redeem in one place only, even if the callback is loaded twice.',
  },
} as const satisfies VerdictTexts

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
  term_unknown: {
    by: 'operator',
    sentence:
      'The request or the grant has something beside scopes, such as the organization, that this server does not know, so it gives no token.',
    fix: 'Mount the feature that brought it on every replica; the names of a grant are in its `terms`.',
    toDeveloper: 'Start the authorization again if this does not pass.',
  },
  term_retry_differs: {
    by: 'app',
    sentence: 'The app repeated a token request with other parameters, such as another organization.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Repeat a lost token request unchanged.',
  },
  organization_differs: {
    by: 'app',
    sentence:
      'The app asked for a token of another organization than the one of its grant, or the grant has none.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Start an authorization for the other organization: each one has a grant of its own.',
  },
  organization_left: {
    by: 'user',
    sentence: 'The user no longer belongs to the organization of the grant, so its tokens were revoked.',
    fix: 'If the user belongs to it, add the membership again; the user connects the app again.',
    toDeveloper: 'Forget the tokens, and start the authorization again.',
  },
  token_of_other_client: {
    by: 'app',
    sentence: 'A client tried to revoke or inspect a token of another client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send only tokens that this `client_id` got.',
  },
} as const satisfies VerdictTexts

const BEGIN_ON_THE_DEVICE = 'The user begins again on the device.'
const POLL_AGAIN = 'Begin a new device authorization request, and show its code.'

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

export const TOKEN_EXCHANGE_VERDICTS = {
  subject_token_unknown: {
    by: 'app',
    sentence: 'The token to exchange is not a valid access token of this server.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send a valid access token as `subject_token`; refresh it first.',
  },
  subject_token_of_other_client: {
    by: 'operator',
    sentence: 'The client may not exchange this token, which was issued for another purpose.',
    fix: 'Allow the client to exchange tokens of this resource, if it should.',
    toDeveloper: 'Send an access token that was issued for your API as `subject_token`.',
  },
  subject_token_type_unsupported: {
    by: 'app',
    sentence: 'The app wants to exchange another kind of token than an access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `subject_token_type` to `urn:ietf:params:oauth:token-type:access_token`.',
  },
  actor_token_unsupported: {
    by: 'app',
    sentence: 'The app sent an actor token, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `actor_token`: the client that exchanges the token is the actor.',
  },
  requested_token_type_unsupported: {
    by: 'app',
    sentence: 'The app wants another kind of token than an access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `requested_token_type`, or request an access token.',
  },
  audience_unsupported: {
    by: 'app',
    sentence: 'The app named the target of the token by `audience`, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Name the target by `resource` instead of `audience` (RFC 8707).',
  },
  subject_token_of_other_key: {
    by: 'app',
    sentence: 'The token to exchange is bound to a key, which the request does not prove.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send a DPoP proof of the key of `subject_token`.',
  },
  delegation_too_deep: {
    by: 'app',
    sentence: 'The token was exchanged too often in a chain.',
    fix: 'Let the services exchange the first token instead of an exchanged one.',
    toDeveloper: 'Exchange a token at most three times in a chain.',
  },
  too_many_exchanged_tokens: {
    by: 'app',
    sentence: 'The grant has as many live exchanged tokens as it may have.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Use an exchanged token until it expires, or revoke it.',
  },
} as const satisfies VerdictTexts
