import { NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

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
