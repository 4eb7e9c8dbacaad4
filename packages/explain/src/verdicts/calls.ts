import { DEVELOPER_ONLY, NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

const LOST_HEADER = 'Look for a proxy or a web application firewall that removes or changes the header.'

/** Calls of the API, at its guard. */
export const CALL_VERDICTS = {
  bearer_missing: {
    by: 'app',
    sentence: 'The API was called without an access token.',
    fix: `If the app had a token, something in front of the API removed it. ${LOST_HEADER}`,
    toDeveloper: 'Send `Authorization: Bearer` and the access token with each call of the API.',
  },
  bearer_malformed: {
    by: 'app',
    sentence: 'The API was called with an `Authorization` header that cannot be read.',
    fix: LOST_HEADER,
    toDeveloper: 'Send `Authorization: Bearer`, one space and the access token, unchanged.',
  },
  bearer_unknown: {
    by: 'app',
    sentence: 'The API was called with an access token that is unknown, expired or revoked.',
    fix: 'Look at the earlier steps: they show what ended it. If the API runs apart from this server, it must read the same store.',
    toDeveloper: 'After a 401, refresh once and repeat the call. If it fails again, let the user sign in.',
    doctorCheck: 'bad-token',
  },
  bearer_wrong_audience: {
    by: 'app',
    sentence: 'The access token is valid, but was issued for another resource than the API that was called.',
    fix: 'Compare the two addresses: the resource of the guard (`resource`) must be the one that its metadata name and the app requests.',
    toDeveloper:
      'Request the token with the `resource` of the protected resource metadata of this API, and do not use it at another one.',
    doctorCheck: 'resource-metadata',
  },
  bearer_subject_gone: {
    by: 'user',
    sentence: 'The API was called for a user whose account is gone or disabled.',
    fix: 'Look at the account. If it should be there, enable or add it; the user connects the app again.',
    toDeveloper: 'The account of this user is gone. Forget its tokens.',
  },
  bearer_without_user: {
    by: 'app',
    sentence: 'The API needs a user, and was called with a token that a client got for itself.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Use the authorization code flow for this call: it needs a user.',
  },
  bearer_personal: {
    by: 'user',
    sentence: 'The API was called with a personal access token, which this route does not accept.',
    fix: 'If programs without a browser should use this route, allow personal access tokens there.',
    toDeveloper:
      'Use the authorization code flow for this call, or a route that accepts personal access tokens.',
  },
  bearer_sign_in_weak: {
    by: 'app',
    sentence: 'The API needs a stronger sign-in than the one that the access token began with.',
    fix: 'If the app does not send its user to sign in again, it does not know RFC 9470: demand the class on single routes only.',
    toDeveloper:
      'After a 401 with `insufficient_user_authentication`, begin a new authorization with `acr_values` and `scope` of `WWW-Authenticate`. A refresh does not help.',
  },
  bearer_sign_in_old: {
    by: 'app',
    sentence: 'The API needs a more recent sign-in than the one that the access token began with.',
    fix: 'If the app does not send its user to sign in again, it does not know RFC 9470: demand the age on single routes only.',
    toDeveloper:
      'After a 401 with `insufficient_user_authentication`, begin a new authorization with `max_age` and `scope` of `WWW-Authenticate`. A refresh does not help.',
  },
  bearer_scope_missing: {
    by: 'app',
    sentence: 'The access token lacks a scope that this call needs.',
    fix: 'The user connects the app again and leaves the scope ticked. If the app never requests it, name it in the baseline scopes of the resource.',
    toDeveloper:
      'After a 403 with `insufficient_scope`, begin a new authorization with the `scope` of `WWW-Authenticate` and the scopes that you have.',
    doctorCheck: 'challenge',
  },
  detail_missing: {
    by: 'app',
    sentence: 'The user has not allowed this operation.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'After a 403 with `insufficient_authorization`, begin a new authorization with `authorization_details` for this operation.',
  },
  detail_used_up: {
    by: 'app',
    sentence: 'The user allowed this operation once, or up to a sum, and that is used up.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'Begin a new authorization with `authorization_details` for this operation. A refresh does not help.',
  },
  feed_not_for_client: {
    by: 'operator',
    sentence: 'A client that is no resource server requested the revocation feed.',
    fix: 'Register the API as a static client with `resourceServer`.',
    toDeveloper: 'Only an API may read this. Ask the operator for a client of the API.',
  },
  keys_unavailable: {
    by: 'server',
    sentence: 'The API could not fetch the keys of this server, so it could not check any token.',
    fix: 'Check that the API reaches the `jwks_uri` of this server.',
    toDeveloper: 'The server was at fault, not your app. Repeat the call after the time in `Retry-After`.',
    doctorCheck: 'keys',
  },
  revocation_feed_stale: {
    by: 'server',
    sentence: 'The API could not read the revocation feed for too long, so it trusted no token.',
    fix: 'Check that the API reaches the revocation feed of this server, and that its client is still registered.',
    toDeveloper: 'The server was at fault, not your app. Repeat the call after the time in `Retry-After`.',
  },
  token_schemes_mixed: {
    by: 'app',
    sentence: 'One call of the API has tokens of two schemes.',
    fix: `If the app sends one only, something in front adds one. ${LOST_HEADER}`,
    toDeveloper: 'Send one `Authorization` header: `DPoP` for a bound token, `Bearer` for another one.',
  },
  token_without_proof: {
    by: 'app',
    sentence: 'The access token is bound to a key, and was sent without a proof of it.',
    fix: LOST_HEADER,
    toDeveloper: 'Send a token of `token_type` `DPoP` as `Authorization: DPoP`, with a `DPoP` header.',
    doctorCheck: 'dpop',
  },
  token_not_bound: {
    by: 'app',
    sentence: 'The app sent a bearer token as a token that is bound to a key.',
    fix: 'If the app sent a proof to the token endpoint, a proxy removed it there. The doctor shows whether the header passes.',
    toDeveloper: 'Look at `token_type` of the token response: send `Bearer` tokens as `Bearer`.',
    doctorCheck: 'dpop',
  },
  token_of_other_key: {
    by: 'app',
    sentence: 'The proof is of another key than the access token is bound to.',
    fix: 'If the app did not mix up its keys, somebody has a copy of the token, and could not use it.',
    toDeveloper: 'Keep each token together with the key that proved its request.',
  },
  token_must_be_bound: {
    by: 'app',
    sentence: 'The API accepts only tokens that are bound to a key, and got a bearer token.',
    fix: 'Switch DPoP on in the app, or accept bearer tokens at this resource.',
    toDeveloper: 'Use DPoP (RFC 9449): send a proof with the token request and with each call.',
    doctorCheck: 'dpop',
  },
  verify_scope_unknown: {
    by: 'operator',
    sentence: 'The gateway requires a scope that does not exist here.',
    fix: 'Correct the scope in the configuration of the gateway.',
    toDeveloper: 'The server is not set up for this call. Ask the operator.',
  },
  verify_sign_in_unknown: {
    by: 'operator',
    sentence: 'The gateway requires a class or an age of the sign-in that does not exist here.',
    fix: 'Correct `acr_values` (one class of the server) or `max_age` (seconds, at least 1) in the configuration of the gateway.',
    toDeveloper: 'The server is not set up for this call. Ask the operator.',
  },
  gateway_names_no_request: {
    by: 'operator',
    sentence:
      'The gateway does not forward the method and the address of the call, so its DPoP proof cannot be verified.',
    fix: 'Let the gateway send `X-Forwarded-Method` and `X-Forwarded-Uri`.',
    toDeveloper: 'The server is not set up for DPoP at this address. Ask the operator.',
  },
} as const satisfies VerdictTexts

const CLOCK = 'Compare the clocks of the server and of the app. The doctor measures that of the server.'
const PUBLIC_URL =
  'Check that `baseUrl` (`BASE_URL`) and the resource of the guard are the addresses that apps use.'

export const DPOP_VERDICTS = {
  dpop_proof_malformed: {
    by: 'app',
    sentence: 'The `DPoP` header is not one signed JWT.',
    fix: LOST_HEADER,
    toDeveloper: 'Send one `DPoP` header with one JWT in compact form of at most 4096 characters.',
    doctorCheck: 'dpop',
  },
  dpop_proof_type: {
    by: 'app',
    sentence: 'The DPoP proof has another `typ` than `dpop+jwt`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `typ` of the DPoP proof to `dpop+jwt`.',
  },
  dpop_proof_algorithm: {
    by: 'app',
    sentence: 'The DPoP proof is signed with an algorithm that this server does not support.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Sign the DPoP proof with an algorithm of `dpop_signing_alg_values_supported`.',
  },
  dpop_proof_key: {
    by: 'app',
    sentence: 'The DPoP proof does not have a public key for its algorithm.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Put the public key into `jwk` of the DPoP proof, and never the private one.',
  },
  dpop_proof_claims: {
    by: 'app',
    sentence: 'The DPoP proof lacks a claim.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Give the DPoP proof `jti`, `htm`, `htu` and `iat`.',
  },
  dpop_proof_method: {
    by: 'app',
    sentence: 'The DPoP proof is for another method than the request.',
    fix: 'If the app sends the right one, a proxy redirects or changes the method.',
    toDeveloper: 'Set `htm` of the DPoP proof to the method of the request.',
  },
  dpop_proof_uri: {
    by: 'app',
    sentence: 'The `htu` of the DPoP proof is not the URL of the request, as this server knows it.',
    fix: PUBLIC_URL,
    toDeveloper: 'Set `htu` of the DPoP proof to the address of the request, without query and fragment.',
    doctorCheck: 'endpoints',
  },
  dpop_proof_expired: {
    by: 'app',
    sentence: 'The DPoP proof is not valid at this time.',
    fix: CLOCK,
    toDeveloper: 'Make a new DPoP proof for each request, and check the clock of your computer.',
    doctorCheck: 'clock',
  },
  dpop_proof_token: {
    by: 'app',
    sentence: 'The DPoP proof is for another access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `ath` of the DPoP proof to the SHA-256 hash of the access token of this call.',
  },
  dpop_proof_signature: {
    by: 'app',
    sentence: 'The signature of the DPoP proof does not match its key.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Sign the DPoP proof with the private key that belongs to its `jwk`.',
  },
  dpop_nonce_needed: {
    by: 'app',
    sentence: 'The app sent a DPoP proof without the nonce of the server, and did not repeat it with one.',
    fix: 'Check that the header `DPoP-Nonce` reaches the app.',
    toDeveloper: 'After `use_dpop_nonce`, repeat the request with the `nonce` of the `DPoP-Nonce` header.',
    doctorCheck: 'dpop',
  },
  dpop_proof_missing: {
    by: 'app',
    sentence: 'The client must prove a key, and sent no DPoP proof.',
    fix: 'Switch DPoP on in the app. If it is on, look for a proxy that removes the header `DPoP`.',
    toDeveloper: 'Send a DPoP proof with this request (RFC 9449 5).',
    doctorCheck: 'dpop',
  },
  dpop_proof_replayed: {
    by: 'app',
    sentence: 'The DPoP proof was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the proof.',
    toDeveloper: 'Make a new DPoP proof with a fresh `jti` for each request, also for a retry.',
  },
} as const satisfies VerdictTexts

export const SIGN_OUT_VERDICTS = {
  logout_hint_unverified: {
    by: 'app',
    sentence:
      'The `id_token_hint` of the logout is an ID token that this server did not issue or can no longer verify.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the latest ID token of this server as `id_token_hint`.',
    doctorCheck: 'id-token',
  },
  logout_hint_of_other_client: {
    by: 'app',
    sentence: 'The `id_token_hint` of the logout is the ID token of another client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send the ID token and the `client_id` of the same client.',
  },
  logout_client_missing: {
    by: 'app',
    sentence: 'The logout request has a `post_logout_redirect_uri` and does not name its client.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send `id_token_hint` or `client_id` together with `post_logout_redirect_uri`.',
  },
  post_logout_redirect_uri_not_registered: {
    by: 'app',
    sentence: 'The app sent a `post_logout_redirect_uri` that it has not registered.',
    fix: 'Correct the address in the settings of the app, or add it to the static client.',
    toDeveloper: 'Send a registered `post_logout_redirect_uri`, byte for byte.',
  },
  logout_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the page for the sign-out too late, or after signing in again.',
    fix: 'The user signs out once more.',
    toDeveloper: 'The page was open for too long. Nothing happened.',
  },
} as const satisfies VerdictTexts

const NOT_YOUR_APP = 'The server was at fault, not your app. Try again after the time in `Retry-After`.'

/** Faults of the server, its store or its configuration. */
export const SERVER_VERDICTS = {
  store_unavailable: {
    by: 'server',
    sentence: 'The server could not reach its store.',
    fix: 'Look at the store and at the network to it; the event `failed` has the cause.',
    toDeveloper: NOT_YOUR_APP,
  },
  issuer_unavailable: {
    by: 'server',
    sentence: 'The server could not create the issuer that the request was for.',
    fix: 'Look at the callbacks `version` and `options` of `issuers`, and what they ask: the log has the cause.',
    toDeveloper: NOT_YOUR_APP,
  },
  contention: {
    by: 'server',
    sentence: 'Too many requests changed the same grant at once.',
    fix: 'If one app does this for long, it refreshes without waiting for answers. Otherwise it passes by itself.',
    toDeveloper: 'Let one process refresh at a time, and try again after the time in `Retry-After`.',
  },
  unexpected: {
    by: 'server',
    sentence: 'The server failed; the event `failed` has the cause.',
    fix: 'Look up the cause in the log at this time. It is a fault of the server, of a page, or of a callback of your code.',
    toDeveloper: 'The server was at fault, not your app. The operator has the details.',
  },
  claims_unavailable: {
    by: 'server',
    sentence: 'The server could not look up the user.',
    fix: 'Look at the source of the users: the callback `claims`, and the database behind it.',
    toDeveloper: NOT_YOUR_APP,
  },
  token_claims_unavailable: {
    by: 'server',
    sentence: 'The server could not look up the claims of the token.',
    fix: 'Look at the callback `tokenClaims`, and what it asks: it failed, or had no result within two seconds.',
    toDeveloper: NOT_YOUR_APP,
  },
  signing_key_unavailable: {
    by: 'server',
    sentence: 'The server has no key to sign with.',
    fix: 'Look at the source of the keys (`keys`, `KEYS_FILE`); the event `signing_keys_refused` has the cause.',
    toDeveloper: NOT_YOUR_APP,
    doctorCheck: 'keys',
  },
} as const satisfies VerdictTexts
