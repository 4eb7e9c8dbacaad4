import { DEVELOPER_ONLY, NOTHING_TO_FIX, type VerdictTexts } from './verdict-text.ts'

/** Requests that cannot be read. */
export const MESSAGE_VERDICTS = {
  message_invalid: {
    by: 'app',
    sentence: 'A parameter of the request is missing or malformed; the description of the error names it.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send each parameter once, with a valid value. `error_description` names the wrong one.',
  },
  media_type_unsupported: {
    by: 'app',
    sentence: 'The app sent the body in a media type that this endpoint does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send `application/x-www-form-urlencoded` to the token endpoint, and `application/json` to the registration endpoint.',
    doctorCheck: 'token-error',
  },
  body_unreadable: {
    by: 'app',
    sentence: 'The body of the request is broken: it is cut off, or is not in the encoding that it names.',
    fix: 'If several apps have this error, look for a proxy that changes bodies.',
    toDeveloper: 'Check the encoding and the length of the body that your app sends.',
    doctorCheck: 'token-error',
  },
  body_too_large: {
    by: 'app',
    sentence: 'The body of the request is larger than the server reads.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send a body of at most 64 KiB, without embedded images or keys that are not needed.',
  },
  parameters_too_many: {
    by: 'app',
    sentence: 'The request has more than 100 parameters.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send only the parameters of the specification, at most 100.',
  },
  method_not_allowed: {
    by: 'app',
    sentence: 'The app called an endpoint with a method that it does not have.',
    fix: 'If the app sends a POST, look for a proxy that redirects: most clients repeat a redirected POST as a GET.',
    toDeveloper:
      'Send a POST to the token endpoint, without following redirects, and open the authorization endpoint in a browser.',
    doctorCheck: 'endpoints',
  },
  form_of_another_site: {
    by: 'network',
    sentence: 'The browser says that the form came from a page of another site, so nothing was decided.',
    fix: 'If this happens to all users, a proxy changes `Origin` or the public URL is wrong: set `baseUrl` (`BASE_URL`). Otherwise an unknown site sent the form.',
    toDeveloper: 'Open the authorization endpoint in a browser, and never send the forms of its pages.',
    doctorCheck: 'endpoints',
  },
} as const satisfies VerdictTexts

/** Parameters of the authorization request. */
export const REQUEST_VERDICTS = {
  response_type_missing: {
    by: 'app',
    sentence: 'The authorization request has no `response_type`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `response_type=code`.',
  },
  response_type_unsupported: {
    by: 'app',
    sentence: 'The app requested the implicit or a hybrid flow, which this server does not have.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Use the authorization code flow: send `response_type=code` and PKCE.',
  },
  response_mode_unsupported: {
    by: 'app',
    sentence:
      'The app requested the answer in a form that this server does not send, or not to its redirect URI.',
    fix: 'Turn on posted answers if apps need them (`formPost()`, `FORM_POST`). They reach https and loopback redirect URIs.',
    toDeveloper:
      'Leave out `response_mode`, or send `response_mode=query`. ASP.NET Core sends `form_post` unless its options say `ResponseMode = OpenIdConnectResponseMode.Query`.',
  },
  request_object_unsupported: {
    by: 'app',
    sentence: 'The app sent the request as a signed object, which this server does not read.',
    fix: 'Turn on signed requests if apps need them (`requestObjects()`, `REQUEST_OBJECTS`). Those without a browser (CIBA) are never signed.',
    toDeveloper: 'Send the parameters themselves, without `request`.',
  },
  request_uri_unsupported: {
    by: 'app',
    sentence: 'The app sent a `request_uri`, and this server takes no pushed requests.',
    fix: 'Turn on pushed authorization requests if apps need them (`pushedAuthorizationRequests()`, `PAR`).',
    toDeveloper:
      'Send the parameters themselves, unless the metadata has `pushed_authorization_request_endpoint`.',
  },
  registration_unsupported: {
    by: 'app',
    sentence: 'The app sent its metadata in the authorization request, which this server does not read.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `registration`, and register at the `registration_endpoint` of the metadata.',
  },
  prompt_invalid: {
    by: 'app',
    sentence: 'The app sent a `prompt` that does not exist, or `none` together with another value.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send `prompt` with `login`, `consent` or `select_account`, or with `none` alone, or leave it out.',
  },
  challenge_and_nonce_missing: {
    by: 'app',
    sentence:
      'The app may leave out PKCE, and sent no `code_challenge`, nor `openid` and a `nonce` in its place.',
    fix: 'Switch PKCE on in the app, or let it send the scope `openid` and a `nonce`. If both are impossible, allow it with `nonceOptional`: then nothing protects it from an injected code.',
    toDeveloper:
      'Send a `code_challenge` (S256), or the scope `openid` and a fresh `nonce` with each request.',
    doctorCheck: 'pkce',
  },
  challenge_missing: {
    by: 'app',
    sentence: 'The app began without PKCE, which this server requires.',
    fix: 'Switch PKCE on in the app. If that is impossible and the client has a secret, register it as a static client with `pkceOptional`.',
    toDeveloper:
      'Send `code_challenge` and `code_challenge_method=S256` with each authorization request, and `code_verifier` with the code.',
    doctorCheck: 'pkce',
  },
  challenge_malformed: {
    by: 'app',
    sentence: 'The `code_challenge` is not a SHA-256 hash in base64url.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send the SHA-256 hash of `code_verifier` in base64url without padding: 43 characters. A hash in hex or plain base64 is not valid.',
    doctorCheck: 'pkce',
  },
  challenge_method_unsupported: {
    by: 'app',
    sentence: 'The app sent a `code_challenge_method` other than S256, or none, which means plain.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `code_challenge_method=S256`; without it the method is `plain`, which is not offered.',
    doctorCheck: 'pkce',
  },
} as const satisfies VerdictTexts

export const PUSHED_VERDICTS = {
  request_uri_unknown: {
    by: 'app',
    sentence: 'The link has a `request_uri` that this server did not issue.',
    fix: 'Begin again in the app. If it happens to all users, the replicas have different secrets.',
    toDeveloper: 'Send the `request_uri` of the answer to your push unchanged, to the server that issued it.',
  },
  request_uri_expired: {
    by: 'user',
    sentence: 'The link was opened after its pushed request had expired.',
    fix: 'Begin again in the app.',
    toDeveloper: 'Push the request when the user starts, and open the browser within `expires_in` seconds.',
  },
  request_uri_of_other_client: {
    by: 'app',
    sentence: 'The pushed request belongs to another client than the link names.',
    fix: 'Begin again in the app. If this is no fault of the app, somebody put the link together.',
    toDeveloper: 'Send the `client_id` that pushed the request.',
  },
  request_uri_spent: {
    by: 'user',
    sentence: 'The pushed request was answered before: the link was opened twice.',
    fix: 'Begin again in the app.',
    toDeveloper: 'Push a new request for each sign-in; a `request_uri` is good for one answer.',
  },
  request_not_pushed: {
    by: 'app',
    sentence: 'The client must push its requests, and sent this one in the link.',
    fix: 'Switch pushed authorization requests on in the app, or stop requiring them of this client.',
    toDeveloper: 'Push the request to `pushed_authorization_request_endpoint` first (RFC 9126).',
  },
  pushed_without_proof: {
    by: 'operator',
    sentence: 'The app pushed its request before its document was known, so its keys could not be checked.',
    fix: 'Pin its document (`pinned`, `CIMD_PINNED`).',
    toDeveloper: 'Begin again; if it stays, ask the operator to pin your client ID metadata document.',
  },
  pushed_keys_differ: {
    by: 'app',
    sentence: 'The pushed request names another DPoP key than the one that proved it.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Leave out `dpop_jkt`, or use the key of your DPoP proof.',
  },
  pushed_request_uri: {
    by: 'app',
    sentence: 'The app pushed a request that names another pushed request.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Push the parameters themselves, without `request_uri` (RFC 9126 2.1).',
  },
  pushed_request_too_long: {
    by: 'app',
    sentence: 'The pushed request is too long to be carried in a link.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Shorten the request: fewer scopes, a shorter `state`.',
  },
} as const satisfies VerdictTexts

const TOO_LATE_FOR_THE_FORM =
  'The user answers the page again. If it happens at once, the cookie of the sign-in was lost: look at `baseUrl` (`BASE_URL`), and at http and https at the proxy.'

/** Sign-in and consent: what needs the user. */
export const DECISION_VERDICTS = {
  sign_in_needed: {
    by: 'app',
    sentence: 'The app requested access without any page (`prompt=none`), and no user is signed in.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `login_required`, send the user again without `prompt=none`.',
  },
  sign_in_declined: {
    by: 'user',
    sentence: 'The app required a new sign-in, and the user went back to the app without one.',
    fix: 'If the provider does not confirm a new sign-in, the user signs in with a passkey or a password.',
    toDeveloper: 'Require a new sign-in (`prompt`, `max_age`) only where it matters.',
  },
  sign_in_as_other_user: {
    by: 'user',
    sentence: 'The user signed in as somebody else than the app had named.',
    fix: 'The user signs in with the account that the app knows, or disconnects the app first.',
    toDeveloper: 'Leave out `id_token_hint` if another user may sign in.',
  },
  consent_needed: {
    by: 'app',
    sentence:
      'The app requested access without any page (`prompt=none`), and the user has not allowed this before.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'After `consent_required`, send the user again without `prompt=none`.',
  },
  user_decision_needed: {
    by: 'app',
    sentence:
      'The app requested access without any page (`prompt=none`), and the user has to decide something, such as the organization.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'After `interaction_required`, send the user again without `prompt=none`, or name the organization in the request.',
  },
  user_decision_missing: {
    by: 'user',
    sentence: 'The user allowed nothing, or the form had no choice that it needs, such as the organization.',
    fix: 'If it happens with your own page, add the fields `scope` and those of `view.terms` to its form.',
    toDeveloper:
      'The user has not chosen. If this comes again, the page of the server lacks the choice: tell its operator.',
  },
  organization_not_member: {
    by: 'user',
    sentence: 'The app asked for an organization, or the form named one, to which the user does not belong.',
    fix: 'If the user belongs to it, add the membership where `organizations` reads it.',
    toDeveloper: 'Leave out the parameter `organization`, and the user chooses one.',
  },
  organization_missing: {
    by: 'operator',
    sentence: 'The user belongs to no organization, and this server gives such users no access.',
    fix: "Add the user to an organization, or set `none: 'allow'` (`ORGANIZATIONS_NONE=allow`).",
    toDeveloper: 'The operator must add this user to an organization.',
  },
  organizations_unavailable: {
    by: 'operator',
    sentence: 'The organizations of the user could not be looked up, so nothing was decided or used up.',
    fix: 'Read the cause in the event `failed`. `of` has two seconds, and returns at most 200 organizations.',
    toDeveloper: 'Wait as long as `Retry-After` says, then send the same request again.',
  },
  details_not_shown: {
    by: 'operator',
    sentence:
      'The form did not say that the page has shown the `authorization_details` of the request, so nothing was decided.',
    fix: 'Show `view.terms.authorization_details` on your own page, and send its field. The page of `@grantkit/pages` has it.',
    toDeveloper: 'Send the user through the authorization endpoint again.',
  },
  id_token_hint_unverified: {
    by: 'app',
    sentence: 'The app named the user by an ID token that this server did not issue or can no longer verify.',
    fix: 'After a change of the signing keys this passes as soon as the user signs in again.',
    toDeveloper: 'Send the latest ID token of this server as `id_token_hint`, or leave it out.',
    doctorCheck: 'id-token',
  },
  acr_values_unknown: {
    by: 'app',
    sentence: 'The app requested classes of sign-ins (`acr_values`) of which this server has none.',
    fix: 'Compare them with the classes of `stepUp`.',
    toDeveloper: 'Send one of `acr_values_supported` of the server metadata, or leave `acr_values` out.',
  },
  acr_values_unmet: {
    by: 'user',
    sentence: 'The app requested a stronger sign-in (`acr_values`) than the user made.',
    fix: 'The user sets up a stronger method, such as a passkey or a second factor, and begins again. If that was done, look whether the session tells its `acr`.',
    toDeveloper: 'After `unmet_authentication_requirements`, say to the user which sign-in is needed.',
  },
  consent_ticket_invalid: {
    by: 'user',
    sentence: 'The user answered the consent page too late, or after signing in again.',
    fix: TOO_LATE_FOR_THE_FORM,
    toDeveloper: 'The page was open for too long. Let the user begin again in your app.',
  },
  consent_ticket_spent: {
    by: 'user',
    sentence: 'The user answered the same consent page twice, with different answers.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The user has answered already. If your app got no code, let the user begin again.',
  },
  consent_denied: {
    by: 'user',
    sentence: 'The user denied access.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'The user chose "Deny". Tell the user, and do not request access again by yourself.',
  },
} as const satisfies VerdictTexts

/** Scopes and resources. */
export const SCOPE_VERDICTS = {
  scope_missing: {
    by: 'app',
    sentence: 'The app requested no scope, and there is no default.',
    fix: 'Set the scopes of such a request (`defaultScope`, `DEFAULT_SCOPE`).',
    toDeveloper: 'Send `scope` with names of `scopes_supported`, or those of the challenge of the API.',
  },
  scope_malformed: {
    by: 'app',
    sentence: 'The `scope` of the app is not a list of names.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Send `scope` as names with single spaces between them, without commas.',
  },
  details_unreadable: {
    by: 'app',
    sentence:
      'The app sent `authorization_details` that are no JSON array of 1 to 8 objects with a type, or too long.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send a JSON array of at most 4096 bytes (RFC 9396 2), encoded once.',
  },
  detail_type_unknown: {
    by: 'app',
    sentence: 'The app asked for a type of `authorization_details` that does not exist here.',
    fix: 'Correct the type in the settings of the app, or add it to `types`.',
    toDeveloper: 'Ask only for `authorization_details_types_supported` in the metadata.',
  },
  detail_type_not_allowed: {
    by: 'operator',
    sentence: 'The app asked for a type of `authorization_details` that it may not ask for.',
    fix: 'Register the app as a static client, or set `selfRegistered` of the type if any app may ask for it.',
    toDeveloper:
      'Name the type in `authorization_details_types` of your registration. If it is there, ask the operator for a client.',
  },
  detail_invalid: {
    by: 'app',
    sentence: 'An object of `authorization_details` has a missing, an unknown or a wrong field.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Compare it with the fields of its type in the documentation of the API.',
  },
  detail_repeated: {
    by: 'app',
    sentence: 'The app sent the same object of `authorization_details` twice.',
    fix: NOTHING_TO_FIX,
    toDeveloper: 'Send each object once.',
  },
  details_not_granted: {
    by: 'app',
    sentence: 'The app asked for a token with more `authorization_details` than the user allowed.',
    fix: NOTHING_TO_FIX,
    toDeveloper:
      'Ask for those of the token response, or narrower ones; begin a new authorization for others.',
  },
  scope_unknown: {
    by: 'app',
    sentence: 'The app requested a scope that does not exist here.',
    fix: 'Correct the scopes in the settings of the app, or add the scope to the catalogue.',
    toDeveloper: 'Request only names of `scopes_supported` in the metadata; other servers have other names.',
  },
  scope_not_registered: {
    by: 'app',
    sentence: 'The app requested a scope that its registration does not have.',
    fix: 'Add the scope to the static client, or correct the document of the app. A restricted scope, such as `admin:read`, is for static clients that name it.',
    toDeveloper: 'Name every scope that you request in `scope` of your registration or document.',
  },
  scope_not_granted: {
    by: 'app',
    sentence: 'The app requested, at a refresh, a scope that the user has not allowed.',
    fix: 'The user connects the app again and leaves the scope ticked.',
    toDeveloper: 'Request only allowed scopes at a refresh. For more, begin a new authorization.',
  },
  resource_unknown: {
    by: 'app',
    sentence: 'The app requested a token for a `resource` that is not one of this server.',
    fix: 'Compare the two addresses: often a slash, the path or http differs. Add the resource if it is yours (`resources`, `RESOURCES`).',
    toDeveloper: 'Send the `resource` of the protected resource metadata, byte for byte.',
    doctorCheck: 'resource-metadata',
  },
  resource_not_granted: {
    by: 'app',
    sentence: 'The app requested a token for a `resource` that it had not named in the authorization.',
    fix: DEVELOPER_ONLY,
    toDeveloper:
      'Send the same `resource` with the code and at each refresh as in the authorization request.',
    doctorCheck: 'resource-metadata',
  },
  resource_gone: {
    by: 'operator',
    sentence: 'The resource that the user allowed is no longer one of this server.',
    fix: 'If its address changed by mistake, restore it (`resources`, `RESOURCES`). Otherwise the user connects the app again.',
    toDeveloper:
      'The address of the API has changed. Read its metadata again, and let the user sign in again.',
    doctorCheck: 'resource-metadata',
  },
  resource_needs_proof: {
    by: 'app',
    sentence: 'The resource accepts only tokens that are bound to a key, and the app sent no DPoP proof.',
    fix: 'Switch DPoP on in the app, or accept bearer tokens at this resource.',
    toDeveloper: 'Send a DPoP proof with the token request (RFC 9449), or name another `resource`.',
    doctorCheck: 'dpop',
  },
} as const satisfies VerdictTexts
